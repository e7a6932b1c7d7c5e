// What operators wait for: a trace of 10,000 spans and a search over 100,000 log records, over the admin API of an engine that has
// just started (the first answer) and of one that is at work. npm run bench:telemetry -- [--rounds 5]
import { aboveZero, campaignOptions } from '../support/campaign.js';
import { machine } from './src/machine.js';
import { BENCH_FOLDER } from './src/peers.js';
import { median } from '../support/statistics.js';
import { askTelemetry, QUESTIONS, type Timed } from './src/telemetry-questions.js';

const { rounds } = campaignOptions({ rounds: 5 });
aboveZero({ rounds });

const times = new Map<string, Timed[]>();
for (let round = 0; round < rounds; round++) {
  console.error(`[bench] round ${round + 1} of ${rounds}`);
  for (const question of QUESTIONS) times.set(question.name, [...times.get(question.name) ?? [], await askTelemetry(question)]);
}

const facts = machine(BENCH_FOLDER, []);
console.log(`${facts.date}, Node ${facts.node}, ${facts.system}, ${facts.processors}; ${rounds} engines each, milliseconds, medians (worst)\n`);
console.log('| question | limit | first answer | later answers | CPU first | CPU later | answer KB |\n|---|---:|---:|---:|---:|---:|---:|');
for (const { name, limitMs } of QUESTIONS) {
  const of = times.get(name) ?? [];
  const cell = (all: readonly number[]): string => `${median(all).toFixed(1)} (${Math.max(...all).toFixed(1)})`;
  const kilobytes = Math.round((of[0]?.bytes ?? 0) / 1024);
  const cells = [of.map(({ firstMs }) => firstMs), of.flatMap(({ laterMs }) => laterMs), of.map(({ firstCpuMs }) => firstCpuMs), of.flatMap(({ laterCpuMs }) => laterCpuMs)].map(cell);
  console.log(`| ${name} | ${limitMs} | ${cells.join(' | ')} | ${kilobytes} |`);
}
