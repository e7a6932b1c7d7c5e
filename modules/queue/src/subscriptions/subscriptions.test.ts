import type { StepRecord } from '@treadle/api';
import { expect } from 'chai';
import { FakeSteps, type Rig, type RigOptions, startRig, stepRecord } from '../queue-rig.fixture.js';

interface Shown { readonly step: string; readonly topic: string; readonly application: string; readonly fifo: boolean; readonly waiting: number; readonly paused: boolean }

describe('subscriptions', () => {
  const catalogs = new FakeSteps();
  let rig: Rig;
  const start = async (options: RigOptions = {}): Promise<void> => { rig = await startRig({ catalogs, ...options }); };
  beforeEach(() => catalogs.set([]));
  afterEach(() => rig.test.stop());
  const applications = async (...list: [application: string, steps: readonly StepRecord[], complete: boolean][]): Promise<void> => {
    catalogs.set(list.map(([application, steps, complete]) => ({ application, steps, complete })));
    await rig.clock.advance(0);
  };
  const stored = async (): Promise<readonly string[]> => (await rig.admin('GET', '/') as { items: Shown[] }).items
    .map(({ step, topic, application, fifo, waiting }) => `${application}/${step}/${topic}${fifo ? '/fifo' : ''} ${waiting}`).sort();
  const letters = async (): Promise<readonly object[]> => (await rig.admin('GET', '/dead-letters') as { items: object[] }).items;

  it('gather messages while no worker is there, from the moment on that a catalog names them', async () => {
    await start();
    await rig.send('t', 'early');
    await applications(['app', [stepRecord('A', ['t', { type: 'queue', topic: 'u', config: { type: 'fifo' } }]), stepRecord('B', [{ type: 'state' }])], false]);
    await rig.send('u', 1);
    expect(await stored()).to.deep.equal(['app/A/t 1', 'app/A/u/fifo 1', 'app/B/ 0']);
  });

  it('are retired when a complete catalog has not named them for the delay, and what waits becomes dead letters', async () => {
    await start({ config: 'retire_delay_ms: 5000' });
    await applications(['app', [stepRecord('A', ['t']), stepRecord('B', ['t'])], true]);
    await rig.send('t', 1);
    await applications(['app', [stepRecord('B', ['t'])], true]);
    await rig.clock.advance(4_999);
    expect(await stored()).to.deep.equal(['app/A/t 1', 'app/B/t 1']);
    await rig.send('t', 2);
    await rig.clock.advance(1);
    expect(await stored()).to.deep.equal(['app/B/t 2']);
    expect((await letters()).map((letter) => (letter as { reason: string }).reason)).to.deep.equal(['subscription_retired', 'subscription_retired']);
    await rig.send('t', 3);
    expect(await letters()).to.have.length(2);
    expect(await rig.admin('POST', '/dead-letters/redrive', { body: { reason: 'subscription_retired', toStep: 'B' } })).to.deep.equal({ redriven: 2 });
    expect(await stored()).to.deep.equal(['app/B/t 5']);
  });

  it('that are gone are shown as long as they have dead letters, which can be thrown away', async () => {
    await start({ mode: 'development' });
    const overview = async (): Promise<unknown> => (await rig.admin('GET', '/') as { gone: unknown }).gone;
    await applications(['app', [stepRecord('A', ['t', 'u']), stepRecord('B', ['t'])], true]);
    await rig.send('t', 1);
    await rig.send('u', 2);
    await rig.send('u', 3);
    expect(await overview()).to.deep.equal([]);
    await applications(['app', [stepRecord('B', ['t'])], true]);
    expect(await overview()).to.deep.equal([{ step: 'A', topic: 't', dead: 1 }, { step: 'A', topic: 'u', dead: 2 }]);
    expect(await rig.admin('POST', '/dead-letters/redrive', { body: { step: 'A', toStep: 'B' } })).to.deep.equal({ redriven: 1 });
    expect(await overview()).to.deep.equal([{ step: 'A', topic: 'u', dead: 2 }]);
    expect(await rig.admin('POST', '/dead-letters/discard', { body: { step: 'A' } })).to.deep.equal({ discarded: 2 });
    expect(await overview()).to.deep.equal([]);
  });

  it('are retired at once in development', async () => {
    await start({ mode: 'development' });
    await applications(['app', [stepRecord('A', ['t'])], true]);
    await applications(['app', [stepRecord('A2', ['t'])], true]);
    expect(await stored()).to.deep.equal(['app/A2/t 0']);
  });

  it('stay while the catalog is not complete, changes again, or the application is gone altogether', async () => {
    await start({ config: 'retire_delay_ms: 5000' });
    await applications(['app', [stepRecord('A', ['t'])], true], ['other', [stepRecord('O', ['t'])], true]);
    await applications(['app', [], false]);
    await rig.clock.advance(60_000);
    await applications(['app', [stepRecord('B', ['t'])], true]);
    await rig.clock.advance(4_000);
    await applications(['app', [stepRecord('C', ['t'])], true]);
    await rig.clock.advance(4_000);
    expect(await stored()).to.deep.equal(['app/A/t 0', 'app/B/t 0', 'app/C/t 0', 'other/O/t 0']);
    await rig.clock.advance(1_000);
    expect(await stored()).to.deep.equal(['app/C/t 0', 'other/O/t 0']);
  });

  it('belong to the application that has them, when two name the same Step and topic', async () => {
    await start();
    await applications(['two', [stepRecord('A', ['t'])], true]);
    await applications(['one', [stepRecord('A', ['t'])], true], ['two', [stepRecord('A', ['t'])], true]);
    await rig.clock.advance(60_000);
    expect(await stored()).to.deep.equal(['two/A/t 0']);
    await applications(['one', [stepRecord('A', ['t'])], true], ['two', [], true]);
    await rig.clock.advance(60_000);
    expect(await stored()).to.deep.equal(['one/A/t 0']);
  });

  it('can be paused, all of a Step or one, which survives a new catalog', async () => {
    const seen: unknown[] = [];
    const step = stepRecord('A', ['t', 'u']);
    await start({ steps: [step], handlers: { A: (input) => { seen.push(input); } } });
    await applications(['app', [step], true]);
    expect(await rig.admin('POST', '/pause', { body: { step: 'A' } })).to.deep.equal({ step: 'A', topics: ['t', 'u'], paused: true });
    await rig.send('t', 1);
    await rig.send('u', 2);
    await applications(['app', [{ ...step, configHash: '2' }], true]);
    await rig.clock.advance(0);
    expect(seen).to.deep.equal([]);
    await rig.admin('POST', '/resume', { body: { step: 'A', topic: 'u' } });
    await rig.clock.advance(0);
    expect(seen).to.deep.equal([2]);
    const { items: subscriptions } = await rig.admin('GET', '/') as { items: Shown[] };
    expect(subscriptions.map(({ topic, paused }) => [topic, paused])).to.deep.equal([['t', true], ['u', false]]);
  });
});
