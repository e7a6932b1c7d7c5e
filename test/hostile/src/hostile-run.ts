import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { EngineProcess } from '../../support/engine-process.js';
import { percentile } from '../../support/statistics.js';
import { waitUntil } from '../../support/wait-until.js';
import { hostileApplication, pathOf, type Way } from './application.js';
import { longText } from './hostile-bodies.js';
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
  /** Most resident memory above that of the warm-up, in MB: also pages that nothing lives in any more. */
  readonly memory: number;
}

/** What a whole run showed. */
export interface HostileRun {
  readonly results: readonly HostileResult[];
  /** 99th percentile of all answers of /health while a way was tried, in ms. */
  readonly health: Readonly<Partial<Record<Way, number>>>;
  /** The engine's memory when it had started, after harmless bodies of 1 MB on each way, when it was most, and some seconds after the last case, in MB by part. */
  readonly parts: Readonly<Record<'started' | 'warmed' | 'most' | 'idle', MemoryParts>>;
  /** What the engine keeps alive at the end beyond what it had when it was warm, in MB: heap and what hangs on it, after a collection. */
  readonly live: number;
}

/** As `memory-parts.mjs` says, but in MB. */
export type MemoryParts = Readonly<Record<string, number>>;

interface Sample {
  readonly at: number;
  readonly gap: number;
  readonly cpu: number;
  readonly rss: number;
  /** Of a sample that was asked for, or that has more than all before. */
  readonly parts?: MemoryParts;
  readonly asked?: true;
  readonly live?: number;
}

const HERE = import.meta.dirname;
/** A Step that its own library keeps busy answers never; only the engine matters here. */
const GIVE_UP_MS = 3_000;
/** Two languages start, and the machine may be busy. */
const START_MS = 180_000;
/** What the probe has seen is written by then, and messages have been consumed. */
const SETTLE_MS = 250;
/** By then the thread that checks large values has ended, and nothing is under way. */
const IDLE_MS = 10_000;
const MEGABYTE = 2 ** 20;
/** Characters of what an engine said before it ended. */
const LAST_WORDS = 4_000;
/** Of the warm-up, on each way. */
const HARMLESS: HostileCase = { name: 'harmless', schema: '{"type":"string"}', bodies: Array.from({ length: 20 }, () => longText('', 'a')) };

export interface HostileOptions {
  /** Path of a module that the engine's process loads as well, e.g. a profiler. */
  readonly load?: string | undefined;
  /** With fewer harmless bodies, and without the rest at the end: `parts.idle` and `live` mean nothing then. */
  readonly quick?: boolean;
}

/** Sends the bodies of all cases on the given ways to a real engine, one after the other. @throws an `Error` with its last words when the engine ends */
export async function runHostile(
  cases: readonly HostileCase[], ways: readonly Way[], report: (result: HostileResult) => void, { load, quick = false }: HostileOptions = {},
): Promise<HostileRun> {
  const folder = hostileApplication([...cases, HARMLESS]);
  const engine = new EngineProcess({
    cwd: folder, args: ['--config', 'config.yaml'],
    env: { NODE_OPTIONS: [join(HERE, 'loop-probe.mjs'), ...(load === undefined ? [] : [resolve(load)])].map((path) => `--import=${path}`).join(' '), TREADLE_HOSTILE_PROBE: folder },
  });
  const url = await engine.ready();
  const prober = spawn(process.execPath, [join(HERE, 'health-prober.mjs'), url], { stdio: ['pipe', 'pipe', 'inherit'] });
  let latencies: number[] = [];
  prober.stdout.setEncoding('utf8').on('data', (text: string) => latencies.push(...text.trim().split('\n').map(Number)));
  const results: HostileResult[] = [];
  const answers: Partial<Record<Way, number[]>> = {};
  try {
    const samples = (): readonly Sample[] => samplesOf(join(folder, `${engine.pid}.jsonl`));
    await steps(url, cases.length + 1);
    const measure = (collect = false): Promise<Sample> => measured(join(folder, `${engine.pid}.measure`), samples, collect);
    const started = await measure();
    await warmUp(url, ways, cases.length, quick);
    const warmed = await measure();
    const before = await measure(true);
    for (const [way, index] of ways.flatMap((each) => cases.map((_, at) => [each, at] as const))) {
      const one = cases[index] as HostileCase;
      if (one.type !== undefined && way !== 'http') continue;
      const { name } = one;
      latencies = [];
      const began = Date.now();
      const statuses = await send(`${url}${pathOf(way, index)}`, one);
      if (engine.ended) throw new Error(`the engine ended during ${name} (${way}): ${JSON.stringify(await engine.exit)}\n${engine.output.slice(-LAST_WORDS)}`);
      const result = { name, way, statuses, ...summary(samples().filter(({ at }) => at >= began), warmed.rss), health: percentile(latencies, 0.99) };
      (answers[way] ??= []).push(...latencies);
      results.push(result);
      report(result);
    }
    if (!quick) await delay(IDLE_MS);
    const idle = await measure();
    const { live = 0 } = await measure(true);
    const most = samples().filter(({ parts }) => parts !== undefined).reduce((one, other) => (other.rss > one.rss ? other : one));
    const health = Object.fromEntries(Object.entries(answers).map(([way, all]) => [way, percentile(all, 0.99)]));
    return { results, health, live: Math.round((live - (before.live ?? 0)) / MEGABYTE), parts: { started: inMegabytes(started), warmed: inMegabytes(warmed), most: inMegabytes(most), idle: inMegabytes(idle) } };
  } finally {
    prober.kill();
    await engine.stop('SIGKILL');
  }
}

async function steps(url: string, cases: number): Promise<void> {
  await waitUntil('all Steps', async () => {
    const statuses = await Promise.all(Array.from({ length: cases }, (_, index) => statusOf(`${url}${pathOf('http', index)}`, 'null')));
    return !statuses.some((status) => status === 404 || status === 503);
  }, START_MS);
}

/** The heap of a process that has just started is small, and the store's caches are empty; large bodies that are no danger make them what they will be. */
async function warmUp(url: string, ways: readonly Way[], index: number, quick: boolean): Promise<void> {
  const bodies = HARMLESS.bodies.slice(0, quick ? 5 : undefined);
  for (const way of ways) await send(`${url}${pathOf(way, index)}`, { ...HARMLESS, bodies });
}

/** `asked`: the file that the probe waits for. */
async function measured(asked: string, samples: () => readonly Sample[], collect: boolean): Promise<Sample> {
  writeFileSync(`${asked}.new`, collect ? 'collect' : 'as it is');
  renameSync(`${asked}.new`, asked);
  await waitUntil('a measurement of memory', () => !existsSync(asked), START_MS);
  return samples().filter(({ asked }) => asked).at(-1) as Sample;
}

const inMegabytes = ({ parts = {} }: Sample): MemoryParts => Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, Math.round(bytes / MEGABYTE)]));

async function statusOf(url: string, text: string, { type = 'application/json', gzip = false }: Pick<HostileCase, 'type' | 'gzip'> = {}): Promise<number> {
  const [body, coding] = gzip ? [gzipSync(text), { 'content-encoding': 'gzip' }] : [text, {}];
  try {
    const response = await fetch(url, { method: 'POST', body, headers: { 'content-type': type, ...coding }, signal: AbortSignal.timeout(GIVE_UP_MS) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    // The Step's own process may be busy with it; that is counted as an answer of its own.
    return 0;
  }
}

/** How many bodies got which answer. */
async function send(url: string, one: HostileCase): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  for (const body of one.bodies) {
    const status = await statusOf(url, body, one);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  await delay(SETTLE_MS);
  return statuses;
}

function summary(samples: readonly Sample[], before: number): { readonly blocked: number; readonly work: number; readonly memory: number } {
  const worst = samples.reduce((most, sample) => (Math.min(sample.gap, sample.cpu) > Math.min(most.gap, most.cpu) ? sample : most), { gap: 0, cpu: 0 });
  const most = Math.max(before, ...samples.map(({ rss }) => rss));
  return { blocked: Math.round(worst.gap), work: Math.round(worst.cpu), memory: Math.round((most - before) / MEGABYTE) };
}

const samplesOf = (file: string): readonly Sample[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Sample) : []);
