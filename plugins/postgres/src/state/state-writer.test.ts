import type { StateAdapter, StateWrite } from '@treadle/api';
import { expect } from 'chai';
import { errorOf, startEngine } from '../testing/engine.fixture.js';
import { freshConfig, withServer } from '../testing/kit.fixture.js';

withServer.describe('writes of state', () => {
  async function withEngines(body: (one: StateAdapter, other: StateAdapter) => Promise<void>): Promise<void> {
    const { config, cleanup } = await freshConfig();
    const engines = await Promise.all([1, 2].map(() => startEngine<StateAdapter>('state', config)));
    try {
      await body(engines[0]!.adapter, engines[1]!.adapter);
    } finally {
      await Promise.all(engines.map((engine) => engine.stop()));
      await cleanup();
    }
  }
  const add = (key: string): StateWrite => ({
    group: 'g', key, recordChange: true, next: (current) => ({ action: 'set', value: Number(current?.value ?? 0) + 1 }),
  });

  withServer.it('let a decision that throws harm no other write of the same moment', () => withEngines(async (state) => {
    const bad: StateWrite = { ...add('a'), next: () => { throw new Error('no'); } };
    const [one, thrown, two] = await Promise.all([state.write(add('a')), errorOf(state.write(bad)), state.write(add('a'))]);
    expect([one.after?.value, thrown.message, two.after?.value]).to.deep.equal([1, 'no', 2]);
  }));

  withServer.it('count every update of two engines', () => withEngines(async (one, other) => {
    const results = await Promise.all([one, other].flatMap((engine) => Array.from({ length: 100 }, (_, index) => engine.write(add(`k${index % 3}`)))));
    for (const key of ['k0', 'k1', 'k2']) expect((await one.get('g', key))?.value).to.equal(key === 'k0' ? 68 : 66);
    expect(results).to.have.length(200);
    const changes = await other.pendingChanges(1_000);
    for (const key of ['k0', 'k1', 'k2']) {
      const revisions = changes.filter((change) => change.key === key).map(({ revision }) => revision);
      expect(revisions).to.deep.equal(revisions.map((_, index) => index + 1));
    }
  }));

  withServer.it('of two engines that set and delete without a look at what there is, count revisions upwards', () => withEngines(async (one, other) => {
    const revisions: number[] = [];
    const put = (engine: StateAdapter, value: number): Promise<unknown> => engine.write({
      group: 'g', key: 'k', recordChange: false, next: () => ({ action: 'set', value }), always: { action: 'set', value },
    }).then(({ after }) => revisions.push(after?.revision ?? 0));
    const remove = (engine: StateAdapter): Promise<unknown> => engine.write({
      group: 'g', key: 'k', recordChange: false, next: () => ({ action: 'delete' }), always: { action: 'delete' },
    });
    for (let round = 0; round < 20; round += 1) await Promise.all([put(one, round), put(other, round), remove(one), put(other, -round)]);
    expect(new Set(revisions).size).to.equal(60);
  }));

  withServer.it('let one engine lead, and another when that has stopped', async () => {
    const { config, cleanup } = await freshConfig();
    const [one, other] = await Promise.all([startEngine<StateAdapter>('state', config), startEngine<StateAdapter>('state', config)]);
    expect([await one.adapter.shared?.lead(60_000), await other.adapter.shared?.lead(60_000), await one.adapter.shared?.lead(60_000)]).to.deep.equal([true, false, true]);
    await one.stop();
    expect(await other.adapter.shared?.lead(60_000)).to.equal(true);
    await other.stop();
    await cleanup();
  });
});
