import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { requireOrSkip } from '../support/requirement.js';
import { cutPower, dieAt, failSync, slowSync, type CutResult } from './src/cut-rounds.js';
import { canCutPower } from './src/library.js';

const HIDE_BETTER_SQLITE3 = fileURLToPath(new URL('src/hide-better-sqlite3.cjs', import.meta.url));
const SEED = 20_261_120;

/** The short form; `npm run power-cut` is the long one. */
describe('a power cut', function () {
  this.timeout(300_000);
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
  this.timeout(300_000);
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

describe('an engine that is killed at a write of its store', function () {
  this.timeout(300_000);
  before(function () { requireOrSkip(this, canCutPower(), 'needs Linux and gcc'); });
  afterEach(stopAllEngines);

  for (const block of ['state', 'queue'] as const) {
    it(`starts again, and nothing that ${block} acknowledged is missing`, async () => {
      let acknowledged = 0;
      for (const [point, when] of [[3, 'after'], [90, 'before'], [400, 'after'], [701, 'before']] as const) {
        const result = await dieAt(block, point, when);
        const said = `${when} ${point}: ${JSON.stringify(result)}`;
        expect(result.exit.signal, said).to.equal('SIGKILL');
        expect(result.lost, said).to.equal(0);
        acknowledged += result.acknowledged;
      }
      expect(acknowledged).to.be.greaterThan(0);
    });
  }
});

describe('a disk whose syncs are slow', function () {
  this.timeout(300_000);
  before(function () { requireOrSkip(this, canCutPower(), 'needs Linux and gcc'); });
  afterEach(stopAllEngines);

  it('loses nothing that was acknowledged, and refuses only as an engine under load does', async () => {
    const result = await slowSync('queue', 200, 4_000);
    expect(result.acknowledged, JSON.stringify(result)).to.be.greaterThan(0);
    expect(result.lost, JSON.stringify(result)).to.equal(0);
    expect(result.refusals.filter((refusal) => !/^503 .*"(?:overloaded|no_worker)"/.test(refusal))).to.deep.equal([]);
  });
});

function expectAllThere(result: CutResult): void {
  const said = JSON.stringify(result);
  expect(result.acknowledged, said).to.be.greaterThan(50);
  expect(result.unsynced, said).to.be.greaterThan(0);
  expect(result.lost, said).to.equal(0);
  // A busy machine sheds load; that is no answer of the store.
  expect(result.refusals.filter((refusal) => !refusal.includes('"overloaded"')), said).to.deep.equal([]);
}
