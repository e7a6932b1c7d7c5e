// Steps with `atomic: true` against the same Steps without, on the embedded store: one engine, slices in rotation. What counts is processor time.
// npm run bench:atomic -- [--rounds 5] [--messages 3000] [--only all,state]
import { parseArgs } from 'node:util';
import { EngineProcess } from '../../support/engine-process.js';
import { machine } from '../src/machine.js';
import { BENCH_FOLDER } from '../src/peers.js';
import { queueSlice, type QueueSlice } from '../src/queue-slice.js';
import { median, spread } from '../../support/statistics.js';
import { stepOf, VARIANTS, type Variant, type Work, WORKS, writeAtomicApplication } from './atomic-application.js';

/** What an atomic Step has to reach of the throughput of the one that is not. */
const AIM = 0.9;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, messages: { type: 'string', default: '3000' }, only: { type: 'string' } } });
const [rounds, messages] = [Number(values.rounds), Number(values.messages)];
if (!(rounds >= 1 && messages >= 1)) throw new Error('--rounds and --messages must be at least 1');
const works = WORKS.filter((work) => values.only === undefined || values.only.split(',').includes(work));
if (works.length === 0) throw new Error(`--only names some of ${WORKS.join(', ')}; got ${values.only}`);

const engine = new EngineProcess({ cwd: writeAtomicApplication(), args: ['--config', 'config.yaml'], env: { NODE_ENV: 'production', LOG_FORMAT: 'json' } });
const results = new Map<string, QueueSlice[]>();
try {
  const url = await engine.ready();
  for (const work of works) for (const variant of VARIANTS) await queueSlice(engine, url, stepOf(work, variant), messages);
  for (let round = 0; round < rounds; round++) await runRound(url, round);
} finally {
  await engine.stop();
}
publish();

/** Each round begins with the other variant, so that none always follows the same neighbour. */
async function runRound(url: string, round: number): Promise<void> {
  console.error(`[bench] round ${round + 1} of ${rounds}`);
  for (const work of works) {
    for (const variant of round % 2 === 0 ? VARIANTS : [...VARIANTS].reverse()) {
      const key = keyOf(work, variant);
      results.set(key, [...results.get(key) ?? [], await queueSlice(engine, url, stepOf(work, variant), messages)]);
    }
  }
}

function keyOf(work: Work, variant: Variant): string {
  return `${work} ${variant}`;
}

function publish(): void {
  const facts = machine(BENCH_FOLDER, []);
  console.log(`${facts.date}, Node ${facts.node}, ${facts.system}, ${facts.processors}; ${rounds} rounds of ${messages} messages\n`);
  console.log('| handler | CPU us each, plain: engine + others (spread) | atomic (spread) | ratio by CPU | ratio by time |\n|---|---:|---:|---:|---:|');
  for (const work of works) {
    const [plain = [], atomic = []] = VARIANTS.map((variant) => results.get(keyOf(work, variant)) ?? []);
    const cells = [work, cellOf(plain), cellOf(atomic), ratioByCpu(plain, atomic).toFixed(2), (rate(atomic) / rate(plain)).toFixed(2)];
    console.log(`| ${cells.join(' | ')} |`);
  }
  for (const work of works) {
    const ratio = ratioByCpu(results.get(keyOf(work, 'plain')) ?? [], results.get(keyOf(work, 'atomic')) ?? []);
    console.log(`${ratio >= AIM ? 'ok   ' : 'BELOW'} ${work}: ${ratio.toFixed(2)} of the Step without atomic (at least ${AIM})`);
  }
}

function cellOf(slices: readonly QueueSlice[]): string {
  const [main, others] = [median(slices.map(({ cpuMain }) => cpuMain)), median(slices.map(({ cpuOthers }) => cpuOthers))];
  return `${main.toFixed(0)} + ${others.toFixed(0)} (${(100 * spread(slices.map(cpuOf))).toFixed(0)}%)`;
}

/** Throughput of the second by that of the first, where both have the same processor time. */
function ratioByCpu(plain: readonly QueueSlice[], atomic: readonly QueueSlice[]): number {
  return median(plain.map(cpuOf)) / median(atomic.map(cpuOf));
}

function cpuOf({ cpuMain, cpuOthers }: QueueSlice): number {
  return cpuMain + cpuOthers;
}

function rate(slices: readonly QueueSlice[]): number {
  return median(slices.map(({ perSecond }) => perSecond));
}
