import { expect } from 'chai';
import { killedAfter } from '../suite/killed-process.js';
import { storeOpeningTests } from '../suite/store-opening-tests.js';
import { NAMES, type StateTests, StateUnderTest } from './state-under-test.js';

const CHILD = new URL('./kill-writer-child.js', import.meta.url);

/** What survives, as declared: both ways. */
export function durabilityTests({ suite, withFresh, declared }: StateTests): void {
  const { durable } = declared;
  suite.test(`keeps ${durable ? 'everything' : 'nothing'} over a restart`, () => withFresh(async (state) => {
    for (const name of NAMES) await state.set(name, name, { name });
    await state.set('expiring', 'k', 1, 60_000);
    await state.delete('axb', 'axb');
    await state.write('g', 'recorded', () => ({ action: 'set', value: 1 }), true);
    const changes = await state.adapter.pendingChanges(10);
    await state.restart();
    for (const name of NAMES) expect(await state.value(name, name)).to.deep.equal(durable && name !== 'axb' ? { name } : undefined);
    expect(await state.value('expiring', 'k')).to.equal(durable ? 1 : undefined);
    expect(await state.adapter.pendingChanges(10)).to.deep.equal(durable ? changes : []);
    if (!durable) return;
    await state.clock.advance(60_000);
    expect(await state.value('expiring', 'k')).to.equal(undefined);
    expect((await state.set('axb', 'axb', 2)).after?.revision).to.be.greaterThan(1);
  }));

  if (!durable) return;
  suite.test('loses no acknowledged write when its process is killed', () => withFresh(async (state) => {
    await state.stop();
    for (const round of [1, 2, 3]) {
      const { length: acknowledged } = await killedAfter(20 * round, CHILD, { ...state.options, round });
      await state.start();
      for (let count = 1; count <= acknowledged; count++) {
        expect(await state.value(`round ${round}`, `${count}`), `write ${count} of round ${round}`).to.deep.equal({ count });
      }
      const counter = await state.value('counters', `${round}`) as number;
      expect(counter, 'updates').to.be.within(acknowledged, acknowledged + 1);
      await state.stop();
    }
  }));
}

/** Who may open a store, and what cannot be opened. */
export function openingTests(tests: StateTests): void {
  storeOpeningTests(tests, StateUnderTest, {
    write: (state) => state.set('g', 'k', 1),
    check: async (state) => {
      expect(await state.value('g', 'k')).to.equal(1);
    },
  });
}
