import { join } from 'node:path';
import type { StateDecision, StateEntry } from '@treadle/api';
import { expect } from 'chai';
import type { Driver } from '../driver/driver.js';
import { openStore } from '../store/open-store.js';
import { failingDriver } from '../testing/failing-driver.fixture.js';
import { DRIVERS, errorOf, freshFolder, surroundings } from '../testing/store.fixture.js';
import { StateEntries } from './state-entries.js';
import { StateReader } from './state-reader.js';

const set = (value: number): StateDecision => ({ action: 'set', value });
const increment = (current: StateEntry | undefined): StateDecision => set(Number(current?.value ?? 0) + 1);

for (const driver of DRIVERS) {
  for (const commits of ['thread', 'loop'] as const) {
    describe(`state entries (${driver.name}, commits on the ${commits})`, () => {
      it('computes each of many updates from the one before, over commits', async () => {
        const { entries, write, close } = await open({ driver, commits });
        const rounds = [];
        for (let round = 0; round < 20; round += 1) {
          rounds.push(...Array.from({ length: 25 }, () => write('n', increment)));
          await new Promise((resolve) => void setImmediate(resolve));
        }
        await Promise.all(rounds);
        expect(await entries.get('g', 'n')).to.deep.equal({ value: 500, revision: 500 });
        await close();
      });

      it('shows nobody a value before it is durable', async () => {
        const { entries, write, store, close } = await open({ driver, commits });
        void write('k', () => set(1));
        const seen = await entries.get('g', 'k');
        expect(seen).to.deep.equal({ value: 1, revision: 1 });
        expect(store.reads.prepare('SELECT value FROM state_entries').get()?.['value']).to.equal('1');
        await close();
      });

      it('reads again what the cache has let go', async () => {
        const { entries, write, close } = await open({ driver, commits, cacheBytes: 2_000 });
        for (let index = 0; index < 50; index += 1) await write(`k${index}`, () => set(index));
        for (let index = 0; index < 50; index += 1) {
          expect(await entries.get('g', `k${index}`)).to.deep.equal({ value: index, revision: 1 });
        }
        await close();
      });
    });
  }
}

describe('state entries when a commit fails', () => {
  it('forget what they had assumed, fail what was computed from it, and go on from what is stored', async () => {
    const { entries, write, fail, close } = await open({ commits: 'loop' });
    await write('k', () => set(10));
    fail('COMMIT', 'SQLITE_FULL');
    const failed = await Promise.allSettled([write('k', increment), write('k', increment)]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    fail();
    expect(await entries.get('g', 'k')).to.deep.equal({ value: 10, revision: 1 });
    expect((await write('k', increment)).after).to.deep.equal({ value: 11, revision: 2 });
    await close();
  });

  it('show readers that waited for it what is stored', async () => {
    const { entries, write, fail, close } = await open({ commits: 'loop' });
    await write('k', () => set(10));
    fail('COMMIT', 'SQLITE_FULL');
    const failing = errorOf(() => write('k', increment));
    const reading = entries.get('g', 'k');
    const keeping = write('k', () => ({ action: 'keep' }));
    expect(await reading).to.deep.equal({ value: 10, revision: 1 });
    expect((await keeping).after).to.deep.equal({ value: 10, revision: 1 });
    expect((await failing).code).to.equal('StorageFull');
    await close();
  });
});

describe('revisions of forgotten keys', () => {
  it('are not given again: the group counts on from the highest', async () => {
    const { entries, write, store, close } = await open({ commits: 'loop', cacheBytes: 0 });
    for (let index = 0; index < 5; index += 1) await write('old', increment);
    await write('old', () => ({ action: 'delete' }));
    const sweep = async (now: number): Promise<unknown> => store.apply({ operation: 'state.sweep', rows: [[now, now + 10, 100]] });
    expect(await sweep(Number.MAX_SAFE_INTEGER - 100)).to.equal(1);
    expect(store.reads.prepare('SELECT count(*) AS n FROM state_entries').get()?.['n']).to.equal(0);
    expect((await write('old', () => set(1))).after?.revision).to.equal(7);
    expect((await write('new', () => set(2))).after?.revision).to.equal(7);
    expect(await entries.get('g', 'old')).to.deep.equal({ value: 1, revision: 7 });
    await close();
  });
});

interface OpenOptions {
  readonly driver?: Driver;
  readonly commits: 'thread' | 'loop';
  readonly cacheBytes?: number;
}

async function open({ driver = DRIVERS[0], commits, cacheBytes = 1_000_000 }: OpenOptions) {
  const failing = failingDriver(driver);
  const { clock, turn, log } = surroundings();
  const file = join(freshFolder(), 'a.db');
  const store = await openStore({ file, durability: 'full', commits, driver: failing.driver, clock, turn, log });
  const entries = new StateEntries(store, new StateReader(store.reads), clock, cacheBytes);
  return {
    store, entries,
    write: (key: string, next: (current: StateEntry | undefined) => StateDecision) => entries.write({ group: 'g', key, next, recordChange: false }),
    fail: failing.fail,
    close: () => store.close(),
  };
}
