import { expect } from 'chai';
import { stopAllEngines } from '../support/engine-process.js';
import { runChaos, type ChaosRun } from './src/chaos-run.js';
import { catchControl, SYMPTOMS } from './src/control-runs.js';
import type { Control } from './src/application.js';

const SEED = 20_261_120;
/** A share of the long form's, so that other tests may run beside it. */
const LOAD = { rate: 300, keys: 16, chains: 16 };

/** The short form; `npm run chaos` is the long one. */
describe('the queue under chaos', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  const runs: readonly (Pick<ChaosRun, 'engineKills' | 'workerKills'> & { readonly what: string })[] = [
    { what: 'kills of the engine', engineKills: 3, workerKills: 0 },
    { what: 'kills of workers', engineKills: 0, workerKills: 5 },
  ];
  for (const { what, ...kills } of runs) {
    it(`loses nothing, keeps the order per key and repeats only what was in flight through ${what}`, async () => {
      const { verdict, faults } = await runChaos({ name: what, seed: SEED, load: LOAD, betweenMs: [200, 1000], ...kills });
      expect(faults, JSON.stringify(verdict)).to.deep.equal([]);
      expect(verdict.engineKills + verdict.workerKills).to.equal(kills.engineKills + kills.workerKills);
      expect(verdict.acknowledged - verdict.tailAcknowledged, JSON.stringify(verdict)).to.be.greaterThan(20);
      expect(verdict.executed).to.be.at.least(verdict.acknowledged);
    });
  }

  it('refuses what a run that exceeded its time still tries to write', async () => {
    const { verdict, faults } = await runChaos({
      name: 'slow', seed: SEED, load: { rate: 50, keys: 2, chains: 2, slow: 4 }, engineKills: 0, workerKills: 2, betweenMs: [800, 1500],
    });
    expect(faults, JSON.stringify(verdict)).to.deep.equal([]);
    expect(verdict.refusedStale, JSON.stringify(verdict)).to.be.greaterThan(0);
  });
});

describe('the chaos checker', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  for (const control of Object.keys(SYMPTOMS) as Control[]) {
    it(`catches an engine whose queue adapter is ${control}`, async () => {
      const { caughtAfter, last } = await catchControl(control, SEED);
      expect(caughtAfter, JSON.stringify(last)).to.be.within(1, 20);
    });
  }
});
