import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { requireOrSkip } from '../support/requirement.js';
import { cutPower, failSync, type CutResult } from './src/cut-rounds.js';
import { canCutPower } from './src/library.js';

const HIDE_BETTER_SQLITE3 = fileURLToPath(new URL('src/hide-better-sqlite3.cjs', import.meta.url));
const SEED = 20_261_120;

/** The short form; `npm run power-cut` is the long one. */
describe('a power cut', function () {
  this.timeout(120_000);
  before(function () { requireOrSkip(this, canCutPower(), 'needs Linux and gcc'); });
  afterEach(stopAllEngines);

  for (const block of ['state', 'queue'] as const) {
    it(`takes nothing that ${block} acknowledged with durability full`, async () => {
      expectAllThere(await cutPower({ block, durability: 'full', cuts: 3, seed: SEED }));
    });

    it(`takes nothing from ${block} when unsynced writes survive in part, in another order and torn`, async () => {
      expectAllThere(await cutPower({ block, durability: 'full', cuts: 2, seed: SEED, keep: 0.5 }));
    });

    it(`takes something with durability relaxed from ${block}: the harness would see a loss`, async () => {
      const result = await cutPower({ block, durability: 'relaxed', cuts: 20, seed: SEED, untilLoss: true });
      expect(result.lost, JSON.stringify(result)).to.be.greaterThan(0);
    });
  }

  it('takes nothing that KvStore acknowledged', async () => {
    expectAllThere(await cutPower({ block: 'kv', durability: 'full', cuts: 3, seed: SEED }));
  });

  it('takes nothing with libsql either', async () => {
    const result = await cutPower({ block: 'state', durability: 'full', cuts: 2, seed: SEED, preload: HIDE_BETTER_SQLITE3 });
    expectAllThere(result);
    expect(result.driver).to.be.oneOf(['libsql', 'node:sqlite']);
  });
});

describe('a disk that fails to sync', function () {
  this.timeout(60_000);
  before(function () { requireOrSkip(this, canCutPower(), 'needs Linux and gcc'); });
  afterEach(stopAllEngines);

  for (const block of ['state', 'queue', 'kv'] as const) {
    it(`ends the engine with 74, and nothing that ${block} acknowledged is missing afterwards`, async () => {
      for (const sync of [60, 150]) {
        const result = await failSync({ block }, sync);
        const said = JSON.stringify(result);
        expect(result.exit.code, said).to.equal(74);
        expect(result.acknowledged, said).to.be.greaterThan(0);
        expect(result.lost, said).to.equal(0);
      }
    });
  }
});

function expectAllThere(result: CutResult): void {
  const said = JSON.stringify(result);
  expect(result.acknowledged, said).to.be.greaterThan(50);
  expect(result.unsynced, said).to.be.greaterThan(0);
  expect(result.lost, said).to.equal(0);
  // A busy machine sheds load; that is no answer of the store.
  expect(result.refusals.filter((refusal) => !refusal.includes('"overloaded"')), said).to.deep.equal([]);
}
