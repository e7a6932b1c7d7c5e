import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { DRIVERS, freshFolder, surroundings } from '../testing/store.fixture.js';
import { openStore } from './open-store.js';
import { pragma } from './open-connection.js';

describe('the size of a store\'s files', () => {
  for (const driver of DRIVERS) {
    for (const commits of ['thread', 'loop'] as const) {
      it(`shrinks again while nothing but sweeps is written (${driver.name}, ${commits})`, async () => {
        const { clock, turn, log } = surroundings();
        const file = join(freshFolder(), 'a.db');
        const store = await openStore({ file, durability: 'full', driver, commits, clock, turn, log });
        const value = JSON.stringify('v'.repeat(10_000));
        const keys = Array.from({ length: 1_500 }, (_, index) => `k${index}`);
        await Promise.all(keys.map((key) => store.apply({ operation: 'state.put', rows: [['g', key, value, 1, null]] })));
        await Promise.all(keys.map((key) => store.apply({ operation: 'state.delete', rows: [['g', key, null, 2, 1]] })));
        await store.apply({ operation: 'state.sweep', rows: [[9, 9, 5_000]] });
        const grown = Number(pragma(store.reads, 'page_count')) * 4096;
        expect(grown).to.be.greaterThan(15_000_000);
        // As the sweeps of adapters do, which have no end.
        for (let second = 0; second < 70; second += 5) {
          await store.apply({ operation: 'state.sweep', rows: [[9, 9, 5_000]] });
          await clock.advance(5_000);
        }
        await store.close();
        expect(statSync(file).size).to.be.lessThan(1_000_000);
      });
    }
  }

  for (const [rows, key, least, most] of [
    ['that each have pages of their own is moved in small parts', (index: number) => `k${index}`, 3, 4],
    ['that change the same pages again and again waits until it is long', () => 'k', 16, 18],
  ] as const) {
    it(`a log on the event loop with rows ${rows}`, async () => {
      const file = join(freshFolder(), 'a.db');
      const store = await openStore({ file, durability: 'relaxed', commits: 'loop', ...surroundings() });
      for (let index = 0; index < 800; index += 1) {
        await store.apply({ operation: 'state.put', rows: [['g', key(index), JSON.stringify(String(index).padEnd(4).repeat(7_500)), index, null]] });
        // How far the log goes is looked at by time: what is written in between comes on top.
        if (index % 8 === 0) await new Promise((resolve) => setTimeout(resolve, 15));
      }
      expect(statSync(`${file}-wal`).size / 1_000_000).to.be.within(least, most);
      await store.close();
    });
  }

  it('does not let the log grow with the number of writes', async () => {
    const file = join(freshFolder(), 'a.db');
    const store = await openStore({ file, durability: 'relaxed', ...surroundings() });
    const value = JSON.stringify('v'.repeat(30_000));
    for (let index = 0; index < 1_500; index += 1) await store.apply({ operation: 'state.put', rows: [['g', 'k', value, index, null]] });
    expect(statSync(`${file}-wal`).size).to.be.lessThan(25_000_000);
    await store.close();
  });
});
