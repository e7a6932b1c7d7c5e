// Long form: npm run chaos -- [--engine-kills 200] [--worker-kills 200] [--rate 1000] [--seed N] [--only engine|worker|slow]
// [--history FILE]. One JSON line per run, with the seed that repeats it; ends with 1 when something was wrong.
import { parseArgs } from 'node:util';
import { runChaos, type ChaosRun } from './src/chaos-run.js';

const { values } = parseArgs({
  options: {
    'engine-kills': { type: 'string', default: '200' }, 'worker-kills': { type: 'string', default: '200' }, rate: { type: 'string', default: '1000' },
    seed: { type: 'string' }, only: { type: 'string' }, history: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
const load = { rate: Number(values.rate), keys: 32, chains: 32 };
const kept = values.history ? { historyFile: values.history } : {};

const REDELIVERY_P99_MS = 1000;
const WORKER_KILLS_PER_ENGINE = 8;

/** A new engine now and then: after ten crashes in a minute a worker waits long before it is started again. */
function ofWorkers(workerKills: number): Pick<ChaosRun, 'engineKills' | 'workerKills'> {
  return { workerKills, engineKills: Math.floor(workerKills / WORKER_KILLS_PER_ENGINE) };
}

const runs: readonly ChaosRun[] = [
  { name: 'engine', seed, load, engineKills: Number(values['engine-kills']), workerKills: 0, ...kept },
  { name: 'worker', seed: seed + 1, load, ...ofWorkers(Number(values['worker-kills'])), betweenMs: [200, 1500], ...kept },
  { name: 'slow', seed: seed + 2, load: { rate: 100, keys: 4, chains: 4, slow: 8 }, engineKills: 2, workerKills: 8, ...kept },
];

for (const run of runs) {
  if (values.only && values.only !== run.name) continue;
  process.stderr.write(`[chaos] ${run.name}, seed ${run.seed}\n`);
  const result = await runChaos(run);
  const faults = [...result.faults];
  const { redelivery } = result.verdict.latencies;
  if (redelivery.count > 0 && redelivery.p99Ms > REDELIVERY_P99_MS) faults.push(`redelivery p99 ${redelivery.p99Ms} ms`);
  process.stdout.write(`${JSON.stringify({ test: 'chaos', ok: faults.length === 0, ...result, faults })}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
