import {
  type AtomicPart, type AtomicRun, bind, type ChangeSubject, definePlugin, type Lifecycle, Module, type OperationContext, QueuePort, type StateAdapter, StatePort,
} from '@treadle/api';
import { createTestComposition, type TestComposition } from '@treadle/engine/testing';
import keyv from '@treadle/plugin-keyv';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { atomicState, type AtomicStateParts } from './atomic-state.js';
import state from './index.js';
import { HeldQueue, inGroup } from './queue.fixture.js';
import { StateChanges } from './state-changes.js';
import { OneEntry, refusal } from './state.fixture.js';
import { STATE_OPERATIONS, stateOperations, type WritingState } from './state-operations.js';

const ORIGIN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: false, hops: 7 };
const YAML = `
engine: { implicit_modules: false }
modules:
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::KvStore } }
  - class: testing::queue::HeldQueueModule
`;

/** Brings a queue as its module would. */
function pluginOf(queue: HeldQueue): ReturnType<typeof definePlugin> {
  class HeldQueueModule implements Lifecycle {
    ports = (): ReturnType<NonNullable<Lifecycle['ports']>> => [bind(QueuePort, queue)];
  }
  Module({
    id: 'testing::queue::HeldQueueModule', summary: 'A queue under control', stability: 'development', since: '0.1.0',
    config: { type: 'object', additionalProperties: false }, provides: [QueuePort],
  })(HeldQueueModule);
  return definePlugin({ name: '@treadle/held-queue', version: '0.1.0', api: '*', modules: [HeldQueueModule] });
}

describe('state triggers', () => {
  let test: TestComposition | undefined;
  afterEach(async () => {
    await test?.stop();
    test = undefined;
  });

  const started = async (wanted: (subject: ChangeSubject) => boolean): Promise<{ queue: HeldQueue; port: StatePort }> => {
    const queue = new HeldQueue(wanted);
    test = await createTestComposition({ builtins: [state, keyv, pluginOf(queue)], yaml: YAML });
    return { queue, port: test.engine.port(StatePort) as StatePort };
  };

  it('hand every kind of write to the queue in order, as the handler gets it', async () => {
    const { queue, port } = await started(inGroup('g'));
    await port.set('g', 'k', { n: 1 }, { origin: ORIGIN });
    await port.set('other', 'k', 1, { origin: ORIGIN });
    await port.update('g', 'k', [{ type: 'increment', path: 'n' }], ORIGIN);
    await port.compareAndSet('g', 'k', { revision: 2, value: null }, ORIGIN);
    await port.delete('g', 'k', ORIGIN);
    await port.delete('g', 'k', ORIGIN);
    expect(queue.source?.kind).to.equal('state');
    const changes = await queue.take();
    expect(changes.map(({ input }) => input.value)).to.deep.equal([
      { type: 'create', group: 'g', key: 'k', oldValue: null, newValue: { n: 1 } },
      { type: 'update', group: 'g', key: 'k', oldValue: { n: 1 }, newValue: { n: 2 } },
      { type: 'update', group: 'g', key: 'k', oldValue: { n: 2 }, newValue: null },
      { type: 'delete', group: 'g', key: 'k', oldValue: null, newValue: null },
    ]);
    for (const { origin, subject } of changes) {
      expect(origin).to.deep.equal(ORIGIN);
      expect(subject).to.deep.equal({ kind: 'state', group: 'g', key: 'k' });
    }
    expect(queue.told, 'told of each write that was wanted').to.equal(5);
    expect(await queue.take()).to.deep.equal([]);
  });

  it('hear of each key that clear removes and a trigger matches', async () => {
    const { queue, port } = await started((subject) => subject.kind === 'state' && subject.key.startsWith('k'));
    for (const key of ['k1', 'k2', 'silent']) await port.set('g', key, key);
    await queue.take();
    expect(await port.clear('g', ORIGIN)).to.equal(3);
    expect((await queue.take()).map(({ input, origin }) => [(input.value as { type: string }).type, (input.value as { key: string }).key, origin.hops]))
      .to.deep.equal([['delete', 'k1', 7], ['delete', 'k2', 7]]);
  });

  it('begin a trace when nobody gave an origin, the same however often the change is fetched', async () => {
    const { queue, port } = await started(() => true);
    await port.set('g', 'k', 1);
    const [first] = await queue.source?.pending(1) ?? [];
    const [again] = await queue.source?.pending(1) ?? [];
    expect(first?.origin).to.deep.equal(again?.origin).and.include({ hops: 0, sampled: false });
    expect(first?.origin.traceId).to.match(/^[0-9a-f]{32}$/);
    expect(first?.origin.spanId).to.match(/^[0-9a-f]{16}$/);
  });

  it('say nothing of a write that was refused', async () => {
    const { queue, port } = await started(() => true);
    await port.compareAndSet('g', 'k', { revision: 4, value: 1 }).catch(() => undefined);
    expect(await queue.take()).to.deep.equal([]);
  });

  it('are missed by no write while the module stops: it is refused', async () => {
    const { queue, port } = await started(() => true);
    let end = (): void => undefined;
    queue.underWay = new Promise((resolve) => { end = resolve; });
    const stopped = test?.stop();
    while (await port.get('g', 'k').then(() => true, () => false)) await new Promise((resolve) => setTimeout(resolve, 1));
    const refused = await refusal(port.set('g', 'k', 1));
    end();
    await stopped;
    test = undefined;
    expect(refused).to.equal('StateUnavailable: state.set was refused: the state module has stopped');
  });

  it('are not lost to a write that ends while the module stops', async () => {
    const queue = new HeldQueue(() => true);
    const adapter = new OneEntry();
    const changes = new StateChanges(adapter as unknown as StateAdapter);
    changes.attach(queue);
    await changes.close();
    expect([changes.recording('g', 'k', ORIGIN).recordChange, changes.clearing('g', ORIGIN)?.wants('k')]).to.deep.equal([true, true]);
    changes.recorded();
    expect(queue.told).to.equal(1);
  });

  it('leave the queue before the adapter closes', async () => {
    const { queue } = await started(() => true);
    await test?.stop();
    test = undefined;
    expect(queue.closed).to.equal(true);
  });
});

describe('the state of an atomic run', () => {
  it('is that of the module it began with: after a reload the run begins again', async () => {
    const [queue, adapter] = [new HeldQueue(() => true), new OneEntry()];
    const parts = new Map<string, AtomicPart>();
    const run = {
      part: (name: string, make: () => AtomicPart) => parts.get(name) ?? (parts.set(name, make()), parts.get(name)), keep: () => undefined,
      conflict: (what: string) => { throw new Error(`conflict: ${what}`); },
    } as unknown as AtomicRun;
    const [former, next] = [0, 1].map(() => {
      const changes = new StateChanges(adapter as unknown as StateAdapter);
      changes.attach(queue);
      return { adapter: adapter as unknown as StateAdapter, changes, clock: fakeClock(), step: 'S', traceId: ORIGIN.traceId };
    }) as readonly AtomicStateParts[] as [AtomicStateParts, AtomicStateParts];
    await atomicState(run, former).set('g', 'k', 1);
    expect(atomicState(run, { ...former })).to.equal(atomicState(run, former));
    await former.changes.close();
    expect(() => atomicState(run, next)).to.throw('conflict: the module that keeps state');
    expect(parts.get('state')?.writes()).to.have.nested.property('[0].change');
    parts.get('state')?.committed();
    expect(queue.told).to.equal(1);
  });
});

describe('operations on state', () => {
  it('pass the origin of their handler to every write', async () => {
    const seen: unknown[][] = [];
    const note = (name: string) => async (...given: unknown[]): Promise<void> => void seen.push([name, given.at(-1)]);
    const port = Object.fromEntries(STATE_OPERATIONS.map(({ name }) => name.slice('state.'.length)).map((verb) => [verb, note(verb)]));
    const request = { ...ORIGIN, step: 's', input: null };
    const context = { call: { request } } as unknown as OperationContext;
    for (const [name, operation] of stateOperations({ ...port, put: note('put') } as unknown as WritingState)) {
      if (/get|list/i.test(name)) continue;
      const more = name === 'state.set' ? { ttlMs: 5 } : { ops: [], revision: 0 };
      await operation({ group: 'g', key: 'k', value: 1, ...more }, context);
    }
    const origin = { ...ORIGIN, step: 's' };
    expect(seen).to.deep.equal([['put', { ttlMs: 5, origin }], ['delete', origin], ['update', origin], ['clear', origin], ['compareAndSet', origin]]);
  });
});
