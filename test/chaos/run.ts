// Long form: npm run chaos -- [--engine-kills 200] [--worker-kills 200] [--rate 1000] [--seed N] [--only engine|worker|slow]
// [--history FILE]. One JSON line per run, with the seed that repeats it; ends with 1 when something was wrong.
import { campaignOptions, oneOf, progress, randomSeed, tell } from '../support/campaign.js';
import { runChaos, type ChaosRun } from './src/chaos-run.js';

const { 'engine-kills': engineKills, 'worker-kills': workerKills, rate, seed, ...values } = campaignOptions({
  'engine-kills': 200, 'worker-kills': 200, rate: 1000, seed: randomSeed(), only: undefined, history: undefined,
});
const only = oneOf('only', values.only, ['engine', 'worker', 'slow']);
const load = { rate, keys: 32, chains: 32 };
const kept = values.history ? { historyFile: values.history } : {};

const REDELIVERY_P99_MS = 1000;
const WORKER_KILLS_PER_ENGINE = 8;

/** A new engine now and then: after ten crashes in a minute a worker waits long before it is started again. */
function ofWorkers(kills: number): Pick<ChaosRun, 'engineKills' | 'workerKills'> {
  return { workerKills: kills, engineKills: Math.floor(kills / WORKER_KILLS_PER_ENGINE) };
}

const runs: readonly ChaosRun[] = [
  { name: 'engine', seed, load, engineKills, workerKills: 0, ...kept },
  { name: 'worker', seed: seed + 1, load, ...ofWorkers(workerKills), betweenMs: [200, 1500], ...kept },
  { name: 'slow', seed: seed + 2, load: { rate: 100, keys: 4, chains: 4, slow: 8 }, engineKills: 2, workerKills: 8, ...kept },
];

for (const run of runs) {
  if (only !== undefined && only !== run.name) continue;
  progress('chaos', `${run.name}, seed ${run.seed}`);
  const result = await runChaos(run);
  const faults = [...result.faults];
  const { redelivery } = result.verdict.latencies;
  if (redelivery.count > 0 && redelivery.p99Ms > REDELIVERY_P99_MS) faults.push(`redelivery p99 ${redelivery.p99Ms} ms`);
  tell('chaos', faults.length === 0, { ...result, faults });
}
