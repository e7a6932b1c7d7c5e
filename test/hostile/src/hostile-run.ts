import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EngineProcess } from '../../support/engine-process.js';
import { waitUntil } from '../../support/wait-until.js';
import { hostileApplication, pathOf, type Way } from './application.js';
import type { HostileCase } from './hostile-cases.js';

/** What one case did to the engine on one way. */
export interface HostileResult {
  readonly name: string;
  readonly way: Way;
  /** Answers by status; 0 for requests without one in time. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Longest time that the engine's loop stood still, and the processor time of the engine in that time, in ms. */
  readonly blocked: number;
  readonly work: number;
  /** 99th percentile of the answers of /health, in ms. */
  readonly health: number;
  /** What the engine keeps alive beyond that of its warm-up, in MB: its heap and what hangs on it, after the garbage was collected. */
  readonly live: number;
  /** Most resident memory above that of its warm-up, in MB: also pages that nothing lives in any more. */
  readonly memory: number;
}

interface Sample {
  readonly at: number;
  readonly gap: number;
  readonly cpu: number;
  readonly rss: number;
  /** Of a sample that was asked for. */
  readonly live?: number;
}

const HERE = import.meta.dirname;
/** A Step that its own library keeps busy answers never; only the engine matters here. */
const GIVE_UP_MS = 3_000;
/** Two languages start, and the machine may be busy. */
const START_MS = 180_000;
/** What the probe has seen is written by then, and messages have been consumed. */
const SETTLE_MS = 250;

/** Sends the bodies of all cases on the given ways to a real engine, one after the other. `load`: path of a module that the engine's process loads as well, e.g. a profiler. */
export async function runHostile(
  cases: readonly HostileCase[], ways: readonly Way[], report: (result: HostileResult) => void, load?: string,
): Promise<readonly HostileResult[]> {
  const folder = hostileApplication(cases);
  const engine = new EngineProcess({
    cwd: folder, args: ['--config', 'config.yaml'],
    env: { NODE_OPTIONS: [join(HERE, 'loop-probe.mjs'), ...(load === undefined ? [] : [resolve(load)])].map((path) => `--import=${path}`).join(' '), TREADLE_HOSTILE_PROBE: folder },
  });
  const url = await engine.ready();
  const prober = spawn(process.execPath, [join(HERE, 'health-prober.mjs'), url], { stdio: ['ignore', 'pipe', 'inherit'] });
  let latencies: number[] = [];
  prober.stdout.setEncoding('utf8').on('data', (text: string) => latencies.push(...text.trim().split('\n').map(Number)));
  const results: HostileResult[] = [];
  try {
    const samples = (): readonly Sample[] => samplesOf(join(folder, `${engine.pid}.jsonl`));
    await warmUp(url, cases.length);
    const before = await measure(folder, samples);
    for (const [way, index] of ways.flatMap((each) => cases.map((_, at) => [each, at] as const))) {
      const { name, bodies } = cases[index] as HostileCase;
      latencies = [];
      const began = Date.now();
      const statuses = await send(`${url}${pathOf(way, index)}`, bodies);
      const live = Math.round(((await measure(folder, samples)).live - before.live) / 2 ** 20);
      const result = { name, way, statuses, live, ...summary(samples().filter(({ at }) => at >= began), before.rss), health: percentile(latencies, 0.99) };
      results.push(result);
      report(result);
    }
  } finally {
    prober.kill();
    await engine.stop('SIGKILL');
  }
  return results;
}

/** The heap of a process that has just started is small; large bodies that are no danger make it what it will be. */
async function warmUp(url: string, cases: number): Promise<void> {
  await waitUntil('all Steps', async () => {
    const statuses = await Promise.all(Array.from({ length: cases }, (_, index) => statusOf(`${url}${pathOf('http', index)}`, 'null')));
    return !statuses.some((status) => status === 404 || status === 503);
  }, START_MS);
  const harmless = JSON.stringify('a'.repeat(1_000_000));
  for (let turn = 0; turn < 20; turn++) await statusOf(`${url}${pathOf('http', 0)}`, harmless);
  await delay(SETTLE_MS);
}

/** Has the garbage collected and says what is left, in bytes. */
async function measure(folder: string, samples: () => readonly Sample[]): Promise<{ readonly live: number; readonly rss: number }> {
  const asked = join(folder, 'measure');
  writeFileSync(asked, '');
  await waitUntil('a measurement of memory', () => !existsSync(asked), START_MS);
  const { live = 0, rss } = samples().at(-1) as Sample;
  return { live, rss };
}

async function statusOf(url: string, body: string): Promise<number> {
  try {
    const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' }, signal: AbortSignal.timeout(GIVE_UP_MS) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    // The Step's own process may be busy with it; that is counted as an answer of its own.
    return 0;
  }
}

/** How many bodies got which answer. */
async function send(url: string, bodies: readonly string[]): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  for (const body of bodies) {
    const status = await statusOf(url, body);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  await delay(SETTLE_MS);
  return statuses;
}

function summary(samples: readonly Sample[], before: number): { readonly blocked: number; readonly work: number; readonly memory: number } {
  const worst = samples.reduce((most, sample) => (Math.min(sample.gap, sample.cpu) > Math.min(most.gap, most.cpu) ? sample : most), { gap: 0, cpu: 0 });
  const most = Math.max(before, ...samples.map(({ rss }) => rss));
  return { blocked: Math.round(worst.gap), work: Math.round(worst.cpu), memory: Math.round((most - before) / 2 ** 20) };
}

const samplesOf = (file: string): readonly Sample[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Sample) : []);

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
}
