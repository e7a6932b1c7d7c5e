// npm run reloads -- [--rate 200] [--slow 8000] [--pause 1000] [--only http.port,queue.max_waiting]
// Changes every setting in turn under load; prints a table, and ends with 1 when a request was refused, reset or failed.
import { parseArgs } from 'node:util';
import { runReloads } from './src/reload-run.js';

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '200' }, slow: { type: 'string', default: '8000' }, pause: { type: 'string', default: '1000' }, only: { type: 'string' },
  },
});

process.stdout.write('| setting | taken | ms | refused | reset | failed |\n|---|---|---|---|---|---|\n');
const { rows, outcomes } = await runReloads({
  perSecond: Number(values.rate), slowMs: Number(values.slow), pauseMs: Number(values.pause),
  ...values.only === undefined ? {} : { only: values.only.split(',') },
  onRow: ({ setting, taken, ms, refused, reset, failed }) => void process.stdout.write(`| ${setting} | ${taken} | ${ms} | ${refused} | ${reset} | ${failed} |\n`),
});
const { sent, answered, refused, reset, failed, faults } = outcomes;
process.stdout.write(`\n${rows.length} settings, ${sent} requests, ${answered} answered, ${refused} refused, ${reset} reset, ${failed} failed\n`);
for (const fault of faults) process.stdout.write(`${fault}\n`);
if (answered !== sent || rows.some(({ taken }) => taken === 'not taken')) process.exitCode = 1;
