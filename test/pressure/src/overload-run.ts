import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LoadProcess } from '../../bench/src/load-process.js';
import { AskedProcess } from '../../support/asked-process.js';
import { startPressureEngine } from './application.js';
import { HealthProbe } from './health-probe.js';
import type { PacedReport, Times } from './paced-client.js';
import type { PacedQuestion } from './paced-process.js';

export interface OverloadRun {
  /** Processor time of a request, in milliseconds. */
  readonly workMs: number;
  /** Requests in handlers at a time; half as many may wait. */
  readonly concurrency: number;
  /** What is sent, as a multiple of what the engine takes. */
  readonly times: number;
  readonly overloadSeconds: number;
  readonly afterSeconds: number;
}

export interface OverloadResult {
  /** What the engine takes from as many connections as it has places. */
  readonly peak: { readonly perSecond: number; readonly p99Ms: number };
  /** What was really sent, as a multiple of it. */
  readonly offered: number;
  /** Answered with 200 in overload, as a part of it. */
  readonly goodput: number;
  readonly accepted: Times;
  readonly refused: Times;
  readonly failures: Readonly<Record<string, number>>;
  readonly skipped: number;
  readonly health: ReturnType<HealthProbe['stop']>;
  /** After the overload, at 0.8 times what it takes: until the last request that was refused or slow. */
  readonly recoveredMs: number;
  readonly after: PacedReport;
}

const CAPACITY_MS = 5000;
/** Of a short form. */
const SHORT_CAPACITY_MS = 1500;
const SHORT_SECONDS = 20;
const CALM = 0.8;
/** An answer that takes so many times the p99 at the peak is slow. */
const SLOW_TIMES = 2;

/** Many times what the engine takes, then a little less than it takes. */
export async function runOverload(run: OverloadRun): Promise<OverloadResult> {
  const engine = startPressureEngine({ workMs: run.workMs, concurrency: run.concurrency, waiting: run.concurrency / 2 });
  const [capacity, paced] = [new LoadProcess(), new AskedProcess<PacedQuestion>(fileURLToPath(new URL('./paced-process.ts', import.meta.url)))];
  try {
    const url = await engine.ready();
    const port = Number(new URL(url).port);
    const slice = { port, connections: run.concurrency, request: 'GET /work HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' };
    const ms = run.overloadSeconds > SHORT_SECONDS ? CAPACITY_MS : SHORT_CAPACITY_MS;
    await capacity.run({ ...slice, ms: ms / 5 });
    const { perSecond, p99Ms } = await capacity.run({ ...slice, ms });
    const pace = { type: 'start', port, path: '/work', slowMs: p99Ms * SLOW_TIMES } as const;
    const probe = new HealthProbe(url);
    await paced.ask({ ...pace, perSecond: perSecond * run.times });
    await sleep(run.overloadSeconds * 1000);
    const over = await paced.ask<PacedReport>({ type: 'report' });
    const health = probe.stop();
    await paced.ask({ ...pace, perSecond: perSecond * CALM });
    await sleep(run.afterSeconds * 1000);
    const after = await paced.ask<PacedReport>({ type: 'report' });
    const { accepted, refused, failures, skipped } = over;
    return {
      peak: { perSecond: Math.round(perSecond), p99Ms: Math.round(p99Ms) }, offered: rounded(over.sent / over.seconds / perSecond),
      goodput: rounded(accepted.count / over.seconds / perSecond), accepted, refused, failures, skipped, health, recoveredMs: after.troubledMs, after,
    };
  } finally {
    capacity.stop();
    await paced.stop();
    await engine.stop('SIGKILL');
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
