// Long form: npm run soak -- [--minutes 30] [--rate N] [--leak engine|worker] [--samples FILE]. Half load unless a rate is given.
// A line for each sample goes to stderr, one of JSON with the verdict to stdout; ends with 1 when memory grows.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Leak } from './src/application.js';
import { type Sample, soak } from './src/soak-run.js';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' }, rate: { type: 'string' }, leak: { type: 'string' }, samples: { type: 'string' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes must be a number above 0; got ${values.minutes}`);
if (values.leak !== undefined && values.leak !== 'engine' && values.leak !== 'worker') throw new Error(`--leak must be engine or worker; got ${values.leak}`);

const onSample = ({ second, ...megabytes }: Sample): void => {
  process.stderr.write(`[soak] ${second} s ${Object.entries(megabytes).map(([name, value]) => `${name} ${value.toFixed(1)}`).join(', ')} MB\n`);
};
const { samples, ...result } = await soak({ seconds: minutes * 60, leak: values.leak as Leak | undefined, onSample, ...values.rate === undefined ? {} : { rate: Number(values.rate) } });
if (values.samples !== undefined) writeFileSync(values.samples, `${JSON.stringify(samples)}\n`);
const ok = result.growing.length === 0 && Object.keys(result.failures).length === 0;
process.stdout.write(`${JSON.stringify({ test: 'soak', ok, minutes, ...result })}\n`);
if (!ok) process.exitCode = 1;
