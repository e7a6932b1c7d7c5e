import { setTimeout as sleep } from 'node:timers/promises';
import { StreamClient } from '@treadle/stream-client';
import { WebSocket } from 'ws';
import { residentMegabytes } from '../../bench/src/process-usage.js';
import { AdminClient } from '../../support/admin-client.js';
import { EngineProcess } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { waitUntil } from '../../support/wait-until.js';
import { type Leak, soakApplication } from './application.js';
import { PacedLoad } from './paced-load.js';
import { grows, type Trend, trendOf } from './trend.js';

export interface SoakOptions {
  readonly seconds: number;
  /** Requests a second; default: half of what the application takes. */
  readonly rate?: number | undefined;
  readonly leak?: Leak | undefined;
  /** Told of each sample. */
  readonly onSample?: ((sample: Sample) => void) | undefined;
}

/** Megabytes. What is alive is looked at after a full collection, what is resident before it. */
export interface Sample {
  readonly second: number;
  readonly engineAlive: number;
  readonly engineResident: number;
  readonly workerAlive: number;
  readonly workerResident: number;
}

export type Measure = Exclude<keyof Sample, 'second'>;

export interface SoakResult {
  readonly perSecond: number;
  readonly answered: number;
  /** Answered with 503. */
  readonly refused: number;
  /** By status or message. */
  readonly failures: Readonly<Record<string, number>>;
  readonly skipped: number;
  /** Of the time after the warm-up. */
  readonly trends: Readonly<Record<Measure, Trend>>;
  /** What grew more than it may; empty when all is flat. */
  readonly growing: readonly Measure[];
  readonly samples: readonly Sample[];
}

const MEASURES: readonly Measure[] = ['engineAlive', 'engineResident', 'workerAlive', 'workerResident'];
const CONNECTIONS = 32;
const STREAM_READERS = 4;
const SAMPLE_MS = 5_000;
const LEAST_SAMPLES = 30;
const WARM_UP_SHARE = 0.25;
const CAPACITY_MS = 3_000;
/** Below this a run is a short form. */
const LONG_SECONDS = 600;
/** Growth that is allowed after the warm-up. The heap's own size still moves in a minute, what is alive does not. */
const ALLOWED = { long: { Alive: 0.03, Resident: 0.05 }, short: { Alive: 0.1, Resident: 0.3 } } as const;
const MEGABYTE = 2 ** 20;
const PROBE = `/modules/${encodeURIComponent('soak::probe::ProbeModule')}/memory`;
const OTEL = `/modules/${encodeURIComponent('modules::observability::OtelModule')}`;

interface Memory { readonly pid: number; readonly alive: number }

/** Runs the application at half load and tells whether its memory stays flat. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const cwd = soakApplication(options.leak);
  const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
  const url = await engine.ready();
  await waitUntil('the Steps', async () => (await request('GET', `${url}/memory`)).status === 200);
  const streams = await readers(await engine.address('stream'));
  const load = new PacedLoad(url, CONNECTIONS);
  try {
    const perSecond = options.rate ?? Math.round(await load.capacity(CAPACITY_MS) / 2);
    load.pace(perSecond);
    const samples = await sampleAll(options, engine, url);
    await load.stop();
    return { perSecond, answered: load.answered, refused: load.refused, failures: load.failures, skipped: load.skipped, ...judge(samples, options.seconds), samples };
  } finally {
    for (const client of streams) client.close();
    await engine.stop();
  }
}

/** Clients that follow the application's stream all the time. */
async function readers(url: string): Promise<readonly StreamClient[]> {
  const clients = Array.from({ length: STREAM_READERS }, () => new StreamClient({ url, WebSocket }));
  await Promise.all(clients.map((client) => client.subscribe({ streamName: 'board', groupId: 'open' }).ready()));
  return clients;
}

async function sampleAll({ seconds, onSample }: SoakOptions, engine: EngineProcess, url: string): Promise<readonly Sample[]> {
  const admin = new AdminClient(engine);
  const began = performance.now();
  const everyMs = Math.min(SAMPLE_MS, seconds * 1000 / LEAST_SAMPLES);
  const samples: Sample[] = [];
  while (performance.now() - began < seconds * 1000) {
    await sleep(everyMs);
    const sample = { second: Math.round((performance.now() - began) / 1000), ...await look(admin, engine.pid, url) };
    samples.push(sample);
    onSample?.(sample);
    await ask(admin);
  }
  return samples;
}

async function look(admin: AdminClient, pid: number, url: string): Promise<Omit<Sample, 'second'>> {
  const engineResident = residentMegabytes(pid);
  const { alive: engineAlive } = await admin.call<Memory>('GET', PROBE);
  // An engine that is busy for a moment refuses it, as it does others.
  const worker = await waitUntil('the memory of the worker', async () => {
    const { status, json } = await request('GET', `${url}/memory`);
    return status === 200 && json as Memory;
  });
  return { engineAlive: engineAlive / MEGABYTE, engineResident, workerAlive: worker.alive / MEGABYTE, workerResident: residentMegabytes(worker.pid) };
}

/** Operators look at it, too: their searches build an index. */
async function ask(admin: AdminClient): Promise<void> {
  const { items } = await admin.call<{ items: readonly { traceId: string }[] }>('GET', `${OTEL}/traces?limit=20`);
  for (const { traceId } of items.slice(0, 1)) await admin.call('GET', `${OTEL}/traces/${traceId}`).catch(() => undefined);
  await admin.call('GET', `${OTEL}/logs?limit=50`);
  await admin.call('GET', `${OTEL}/metrics/now`);
}

/** The verdict over samples at equal distances. */
export function judge(samples: readonly Sample[], seconds: number): Pick<SoakResult, 'trends' | 'growing'> {
  const warm = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
  const trends = Object.fromEntries(MEASURES.map((measure) => [measure, trendOf(warm.map((sample) => sample[measure]))])) as SoakResult['trends'];
  const allowed = ALLOWED[seconds >= LONG_SECONDS ? 'long' : 'short'];
  const growing = MEASURES.filter((measure) => grows(trends[measure], allowed[measure.endsWith('Alive') ? 'Alive' : 'Resident']));
  return { trends, growing };
}

