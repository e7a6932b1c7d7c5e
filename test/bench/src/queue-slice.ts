import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient } from '../../support/admin-client.js';
import type { EngineProcess } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { cpuMicroseconds, descendantsOf } from './process-usage.js';

const POLL_MS = 5;

export interface QueueSlice {
  readonly perSecond: number;
  /** Microseconds of processor time per message: of the engine, and of the Step processes. */
  readonly cpuMain: number;
  readonly cpuOthers: number;
}

/** What is measured: a Step, and the topic that it consumes. */
export interface Consumed {
  readonly step: string;
  readonly topic: string;
}

/** Lets `count` messages gather for one consumer, by the application's `POST /fill`, then measures until all of them are handled. */
export async function queueSlice(engine: EngineProcess, url: string, { step, topic }: Consumed, count: number): Promise<QueueSlice> {
  const admin = new AdminClient(engine);
  await admin.call('POST', '/queues/pause', { step });
  const filled = await request('POST', `${url}/fill`, { topic, count });
  if (filled.status !== 204) throw new Error(`the queue was not filled: ${filled.status} ${filled.text}`);
  const pids = [engine.pid, ...descendantsOf(engine.pid)];
  const before = pids.map(cpuMicroseconds);
  const began = performance.now();
  await admin.call('POST', '/queues/resume', { step });
  while (await unfinished(admin, step) > 0) await sleep(POLL_MS);
  const seconds = (performance.now() - began) / 1000;
  const [main = NaN, ...others] = pids.map((pid, index) => (cpuMicroseconds(pid) - (before[index] ?? NaN)) / count);
  return { perSecond: count / seconds, cpuMain: main, cpuOthers: others.reduce((sum, value) => sum + value, 0) };
}

async function unfinished(admin: AdminClient, step: string): Promise<number> {
  const found = (await admin.subscriptions()).find((one) => one.step === step);
  if (!found) throw new Error(`the engine knows no Step ${step}`);
  if (found.dead + found.retrying > 0) throw new Error(`${found.dead + found.retrying} messages of ${step} failed`);
  return found.waiting + found.active + found.delayed;
}
