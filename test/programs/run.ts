// npm run programs -- [--programs 100000] [--keys 10000] [--rate 1000] [--engine-every 30] [--worker-every 10] [--seed N], times in seconds.
// One JSON line with the seed that repeats it; ends with 1 when a counter is not what the programs add up to.
import { aboveZero, campaignOptions, progress, randomSeed, tell } from '../support/campaign.js';
import { runPrograms } from './src/programs-run.js';

const { 'engine-every': engineEvery, 'worker-every': workerEvery, ...numbers } = campaignOptions({
  programs: 100_000, keys: 10_000, rate: 1000, 'engine-every': 30, 'worker-every': 10, seed: randomSeed(),
});
aboveZero({ ...numbers, 'engine-every': engineEvery, 'worker-every': workerEvery });

progress('programs', `${numbers.programs} programs, seed ${numbers.seed}`);
const result = await runPrograms({ ...numbers, engineEveryMs: engineEvery * 1000, workerEveryMs: workerEvery * 1000 });
tell('programs', result.faults.length === 0, { seed: numbers.seed, ...result });
