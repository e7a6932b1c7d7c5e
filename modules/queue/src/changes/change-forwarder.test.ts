import { type ChangeSource, type ChangeSubject, type StoredChange, WrittenJson } from '@treadle/api';
import { expect } from 'chai';
import { FakeSteps, type Rig, startRig, stepRecord } from '../queue-rig.fixture.js';

const ORIGIN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, hops: 0 };

/** Changes as a module keeps them. */
class Changes implements ChangeSource {
  readonly kind = 'state';
  list: StoredChange[] = [];
  settled: string[] = [];
  fault: Error | undefined;
  private made = 0;

  add(group: string, key: string): void {
    const input = { type: 'update', group, key, oldValue: null, newValue: ++this.made };
    this.list.push({ id: `c${this.made}`, subject: { kind: 'state', group, key }, input: new WrittenJson(JSON.stringify(input)), bytes: 100, origin: ORIGIN });
  }

  pending = async (limit: number, after?: string): Promise<readonly StoredChange[]> => {
    if (this.fault) throw this.fault;
    const from = this.list.findIndex(({ id }) => id === after) + 1;
    return this.list.slice(from, from + limit);
  };

  settle = async (ids: readonly string[]): Promise<void> => {
    this.settled.push(...ids);
    this.list = this.list.filter(({ id }) => !ids.includes(id));
  };
}

const state = (group: string, key: string): ChangeSubject => ({ kind: 'state', group, key });
const item = (id: string, event: 'create' | 'update' | 'delete'): ChangeSubject => ({ kind: 'stream', streamName: 's', groupId: 'g', id, event });

describe('changes', function () {
  // Some have thousands of changes.
  this.timeout(90_000);
  let rig: Rig;
  let seen: string[];
  const record = (step: string) => (input: unknown): void => { seen.push(`${step} ${(input as { newValue: number }).newValue}`); };
  beforeEach(() => { seen = []; });
  afterEach(() => rig.test.stop());

  it('are wanted when a trigger selects them', async () => {
    rig = await startRig({ steps: [
      stepRecord('A', [{ type: 'state', group: 'g', key: 'k' }, { type: 'state', group: 'h', prefix: 'p/' }]),
      stepRecord('B', [{ type: 'stream', streamName: 's', groupId: 'g', events: ['delete'] }]), stepRecord('C', ['t']),
    ] });
    const feed = rig.port.attachChanges(new Changes());
    const subjects = [state('g', 'k'), state('g', 'other'), state('h', 'p/1'), state('h', 'p'), item('i', 'delete'), item('i', 'create'),
      { ...item('i', 'delete'), streamName: 'other' } as ChangeSubject];
    expect(subjects.map((subject) => feed.wants(subject))).to.deep.equal([true, false, true, false, true, false, false]);
    await feed.close();
  });

  it('reach every Step that listens once, in order, whatever its triggers', async () => {
    rig = await startRig({
      steps: [stepRecord('A', [{ type: 'state', group: 'g' }, { type: 'state', key: 'k' }]), stepRecord('B', [{ type: 'state', group: 'h' }])],
      handlers: { A: record('A'), B: record('B') },
    });
    const changes = new Changes();
    for (const [group, key] of [['g', 'k'], ['g', 'l'], ['h', 'k'], ['x', 'y']] as const) changes.add(group, key);
    rig.port.attachChanges(changes);
    await rig.clock.advance(0);
    expect(seen.filter((text) => text.startsWith('A'))).to.deep.equal(['A 1', 'A 2', 'A 3']);
    expect(seen.filter((text) => text.startsWith('B'))).to.deep.equal(['B 3']);
    expect([changes.list, changes.settled]).to.deep.equal([[], ['c1', 'c2', 'c3', 'c4']]);
  });

  it('reach a Step that takes no more after a reload has changed what it listens to', async () => {
    rig = await startRig({ steps: [stepRecord('A', [{ type: 'state', group: 'x' }, { type: 'state', group: 'y' }])], config: 'max_waiting: 2' });
    const changes = new Changes();
    for (const group of ['y', 'y', 'x', 'y', 'y']) changes.add(group, 'k');
    const feed = rig.port.attachChanges(changes);
    feed.recorded();
    await rig.clock.advance(0);
    expect(changes.list.map(({ id }) => id)).to.deep.equal(['c3', 'c4', 'c5']);
    rig.test.engine.dispatch.catalog.publish([stepRecord('A', [{ type: 'state', group: 'y' }])]);
    rig.worker({ A: record('A') });
    await rig.clock.advance(10_000);
    expect([seen, changes.list]).to.deep.equal([['A 1', 'A 2', 'A 4', 'A 5'], []]);
  });

  it('that were stored after their feed was closed are taken by the one that is there for their kind now', async () => {
    rig = await startRig({ steps: [stepRecord('A', [{ type: 'state' }])], handlers: { A: record('A') } });
    const changes = new Changes();
    const former = rig.port.attachChanges(changes);
    await former.close();
    former.recorded();
    const next = rig.port.attachChanges(changes);
    await rig.clock.advance(0);
    changes.add('g', 'k');
    expect(former.wants(state('g', 'k')), 'what is decided now is still stored').to.equal(true);
    former.recorded();
    await rig.clock.advance(0);
    expect(seen).to.deep.equal(['A 1']);
    await next.close();
  });

  it('stay with their module while they cannot be enqueued, and come in order afterwards', async () => {
    rig = await startRig({ steps: [stepRecord('A', [{ type: 'state' }])], config: 'max_waiting: 2' });
    const changes = new Changes();
    const feed = rig.port.attachChanges(changes);
    for (let n = 0; n < 4; n++) changes.add('g', 'k');
    feed.recorded();
    await rig.clock.advance(1_000);
    expect(changes.settled).to.deep.equal(['c1', 'c2']);
    rig.worker({ A: record('A') });
    await rig.clock.advance(1_000);
    expect(seen).to.deep.equal(['A 1', 'A 2', 'A 3', 'A 4']);
    expect(changes.list).to.deep.equal([]);
  });

  it('go on to other Steps while one takes no more, which gets them all in order later', async () => {
    rig = await startRig({
      steps: [stepRecord('A', [{ type: 'state', group: 'g' }]), stepRecord('B', [{ type: 'state', group: 'g' }]), stepRecord('C', [{ type: 'state', group: 'h' }])],
      config: 'max_waiting: 2',
    });
    const changes = new Changes();
    const feed = rig.port.attachChanges(changes);
    const worker = rig.worker({ B: record('B'), C: record('C') });
    const numbers = (step: string): number[] => seen.filter((text) => text.startsWith(step)).map((text) => Number(text.slice(2)));
    // Two at a time, which B and C take at once; far more than one round reads.
    for (let n = 0; n < 1_400; n += 2) {
      changes.add('g', 'k');
      changes.add(n % 4 === 0 ? 'g' : 'h', 'k');
      feed.recorded();
      await rig.clock.advance(0);
    }
    const all = changes.list.map(({ id }) => Number(id.slice(1)));
    expect([numbers('B').length, numbers('C').length]).to.deep.equal([1_050, 350]);
    // Of A's, all but the two that it took are kept; of the others nothing is.
    expect([all.length, all.slice(0, 3)]).to.deep.equal([1_048, [3, 5, 6]]);
    rig.worker({ A: record('A') });
    for (let times = 0; numbers('A').length < 1_050 && times < 2_000; times++) await rig.clock.advance(500);
    expect(numbers('A')).to.deep.equal(numbers('B'));
    expect(numbers('B')).to.deep.equal([...numbers('B')].sort((a, b) => a - b));
    expect(changes.list).to.deep.equal([]);
    expect(rig.test.logs.filter(({ message }) => message.startsWith('changes wait for a Step'))).to.have.length(1);
    expect(worker.held.size).to.equal(0);
    await feed.close();
  });

  it('that came by the thousand while a Step took no more do not keep the round from ending', async () => {
    rig = await startRig({ steps: [stepRecord('A', [{ type: 'state', group: 'g' }])], config: 'max_waiting: 2' });
    const changes = new Changes();
    const feed = rig.port.attachChanges(changes);
    for (let n = 0; n < 4; n++) changes.add('g', 'k');
    feed.recorded();
    await rig.clock.advance(0);
    expect(changes.list.map(({ id }) => id)).to.deep.equal(['c3', 'c4']);
    // Nobody is told of these: the Step is asked again before they are looked at.
    for (let n = 0; n < 1_200; n++) changes.add('g', 'k');
    rig.worker({ A: record('A') });
    const { pending } = changes;
    let reads = 0;
    changes.pending = async (limit, after) => {
      reads += 1;
      if (reads > 20_000) throw new Error('the same page is read again and again');
      return pending(limit, after);
    };
    for (let times = 0; changes.list.length > 0 && times < 2_000; times++) await rig.clock.advance(500);
    expect(seen.map((text) => Number(text.slice(2)))).to.deep.equal(Array.from({ length: 1_204 }, (_, n) => n + 1));
    await feed.close();
  });

  it('that a Step does not listen to any more wait for nobody', async () => {
    const catalogs = new FakeSteps();
    const steps = [stepRecord('A', [{ type: 'state', group: 'g' }]), stepRecord('B', [{ type: 'state', group: 'g' }])];
    rig = await startRig({ catalogs, steps, handlers: { B: record('B') }, config: 'max_waiting: 1' });
    catalogs.set([{ application: 'app', steps, complete: true }]);
    const changes = new Changes();
    const feed = rig.port.attachChanges(changes);
    for (let n = 0; n < 3; n++) {
      changes.add('g', 'k');
      feed.recorded();
      await rig.clock.advance(0);
    }
    expect(changes.list).to.have.length(2);
    rig.test.engine.dispatch.catalog.publish([steps[1] as (typeof steps)[number]]);
    catalogs.set([{ application: 'app', steps: steps.slice(1), complete: true }]);
    for (let times = 0; changes.list.length > 0 && times < 100; times++) await rig.clock.advance(500);
    expect(changes.list).to.deep.equal([]);
    expect(seen).to.deep.equal(['B 1', 'B 2', 'B 3']);
  });

  it('are fetched again after a fault', async () => {
    rig = await startRig({ steps: [stepRecord('A', [{ type: 'state' }])], handlers: { A: record('A') } });
    const changes = new Changes();
    changes.fault = new Error('not now');
    changes.add('g', 'k');
    rig.port.attachChanges(changes);
    await rig.clock.advance(100);
    changes.fault = undefined;
    await rig.clock.advance(400);
    expect(seen).to.deep.equal(['A 1']);
    expect(rig.test.logs.filter(({ message }) => message.startsWith('changes could not'))).to.have.length(1);
  });

  it('are dead letters when the trigger has gone meanwhile', async () => {
    const catalogs = new FakeSteps();
    rig = await startRig({ catalogs, steps: [stepRecord('A', [{ type: 'state', group: 'g' }])] });
    catalogs.set([{ application: 'app', steps: [stepRecord('A', [{ type: 'state', group: 'g' }])], complete: true }]);
    const changes = new Changes();
    changes.add('g', 'k');
    rig.port.attachChanges(changes);
    await rig.clock.advance(0);
    const changed = stepRecord('A', [{ type: 'state', group: 'h' }]);
    rig.test.engine.dispatch.catalog.publish([changed]);
    catalogs.set([{ application: 'app', steps: [changed], complete: true }]);
    rig.worker({ A: record('A') });
    await rig.clock.advance(0);
    expect(seen).to.deep.equal([]);
    expect((await rig.admin('GET', '/dead-letters') as { items: object[] }).items[0]).to.include({ reason: 'subscription_retired', kind: 'state' });
  });
});
