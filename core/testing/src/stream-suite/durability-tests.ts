import { expect } from 'chai';
import { killedAfter } from '../suite/killed-process.js';
import { storeOpeningTests } from '../suite/store-opening-tests.js';
import { GROUP, pairs, StreamsUnderTest, type StreamTests } from './stream-under-test.js';

const CHILD = new URL('./kill-writer-child.js', import.meta.url);

/** What survives, as declared: both ways. */
export function durabilityTests({ suite, withFresh, declared }: StreamTests): void {
  const { durable, resumes } = declared;
  suite.test(`keeps ${durable ? 'items, their order and changes' : 'nothing'} over a restart`, () => withFresh(async (streams) => {
    for (const id of ['z', 'a', 'm']) await streams.set(id, { id });
    await streams.delete('a');
    await streams.write('r', () => ({ action: 'set', value: 1 }), { change: () => ({ origin: 'o' }) });
    const changes = await streams.adapter.pendingChanges(10);
    await streams.restart();
    expect(pairs(await streams.items())).to.deep.equal(durable ? [['z', { id: 'z' }], ['m', { id: 'm' }], ['r', 1]] : []);
    expect(await streams.adapter.pendingChanges(10)).to.deep.equal(durable ? changes : []);
    if (!durable) return;
    await streams.set('last', 1);
    expect((await streams.items()).map(({ id }) => id)).to.deep.equal(['z', 'm', 'r', 'last']);
    expect((await streams.set('a', 2)).after?.revision).to.be.greaterThan(2);
  }));

  suite.test(resumes === 'never' ? 'begins a new epoch with each start' : 'goes on with its epoch and position after a clean stop', () =>
    withFresh(async (streams) => {
      const seen: { epoch: string; seq: number }[] = [];
      for (let round = 0; round < 3; round++) {
        seen.push(await streams.position());
        for (let count = 0; count < 3; count++) await streams.send('e', count);
        await streams.set('a', round);
        seen.push(await streams.position());
        await streams.restart();
      }
      const epochs = new Set(seen.map(({ epoch }) => epoch));
      expect(epochs.size).to.equal(resumes === 'never' ? 3 : 1);
      if (resumes !== 'never') expect(seen.map(({ seq }) => seq)).to.deep.equal([0, 4, 4, 8, 8, 12]);
    }));
}

/** What survives `kill -9`. */
export function killTests({ suite, withFresh, declared }: StreamTests): void {
  const { durable, resumes } = declared;
  if (!durable) return;
  suite.test('loses no acknowledged item and gives no position twice when its process is killed', () => withFresh(async (streams) => {
    await streams.stop();
    for (const round of [1, 2, 3]) {
      const reports = await killedAfter(20 * round, CHILD, { ...streams.options, round });
      await streams.start();
      const known = new Map(pairs(await streams.items()));
      reports.forEach((_, index) => expect(known.get(`${round}.${index + 1}`), `item ${index + 1}`).to.deep.equal({ count: index + 1 }));
      const last = JSON.parse(reports.at(-1) as string) as { epoch: string; seq: number };
      const now = await streams.position();
      if (resumes === 'always') {
        expect(now.epoch).to.equal(last.epoch);
        expect(now.seq).to.be.at.least(last.seq);
      } else {
        expect(now.epoch).to.not.equal(last.epoch);
      }
      await streams.stop();
    }
  }));
}

/** Who may open a store, and what cannot be opened. */
export function openingTests(tests: StreamTests): void {
  storeOpeningTests(tests, StreamsUnderTest, {
    write: (streams) => streams.set('a', 1),
    check: async (streams) => {
      expect((await streams.adapter.get(GROUP, 'a'))?.value).to.equal(1);
    },
  });
}
