// npm run programs -- [--programs 100000] [--keys 10000] [--rate 1000] [--engine-every 30] [--worker-every 10] [--seed N], times in seconds.
// One JSON line with the seed that repeats it; ends with 1 when a counter is not what the programs add up to.
import { parseArgs } from 'node:util';
import { runPrograms } from './src/programs-run.js';

const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '100000' }, keys: { type: 'string', default: '10000' }, rate: { type: 'string', default: '1000' },
    'engine-every': { type: 'string', default: '30' }, 'worker-every': { type: 'string', default: '10' }, seed: { type: 'string' },
  },
});
const run = {
  seed: Number(values.seed ?? Math.floor(Math.random() * 1e9)), programs: Number(values.programs), keys: Number(values.keys), rate: Number(values.rate),
  engineEveryMs: Number(values['engine-every']) * 1000, workerEveryMs: Number(values['worker-every']) * 1000,
};
for (const [name, value] of Object.entries(run)) if (!(value > 0)) throw new Error(`${name} must be a number above 0; got ${value}`);

process.stderr.write(`[programs] ${run.programs} programs, seed ${run.seed}\n`);
const result = await runPrograms(run);
process.stdout.write(`${JSON.stringify({ test: 'programs', ok: result.faults.length === 0, seed: run.seed, ...result })}\n`);
if (result.faults.length > 0) process.exitCode = 1;
