import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LoadProcess } from '../../bench/src/load-process.js';
import { residentMegabytes } from '../../bench/src/process-usage.js';
import { AskedProcess } from '../../support/asked-process.js';
import { waitUntil } from '../../support/wait-until.js';
import { startPressureEngine } from './application.js';
import type { PacedReport } from './paced-client.js';
import type { PacedQuestion } from './paced-process.js';
import type { SlowKind } from './slow-connection.js';
import type { SlowQuestion, SlowReport } from './slow-process.js';

export interface SlowRun {
  readonly counts: Readonly<Record<SlowKind, number>>;
  /** How long the others send alone, and how long beside slow ones. */
  readonly aloneSeconds: number;
  readonly besideSeconds: number;
  /** Limits of the engine for whoever is slow, in milliseconds. */
  readonly slowMs: number;
  /** By which time the engine has to have let go of a slow one, in milliseconds. */
  readonly freedMs: number;
  /** When one that does not read looks; later, as the answer moves on until the buffers are full. */
  readonly lookMs: number;
  readonly workMs: number;
}

export interface SlowResult {
  readonly perSecond: number;
  readonly alone: PacedReport;
  readonly beside: PacedReport;
  readonly slow: Readonly<Record<SlowKind, SlowReport>>;
  /** Of the engine's process, before and at the end. */
  readonly megabytes: readonly [number, number];
}

const CAPACITY_MS = 4000;
/** Of a short form. */
const SHORT_CAPACITY_MS = 1000;
const SHORT_SECONDS = 20;
const CONNECTIONS = 32;
/** How long beyond its time a run waits for the first of each kind, on a machine with much else to do. */
const SEEN_MS = 60_000;
const REQUEST = 'GET /work HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
const program = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** Requests at half of what the engine takes, alone and then beside connections that keep it waiting. */
export async function runSlow(run: SlowRun): Promise<SlowResult> {
  const engine = startPressureEngine({ workMs: run.workMs, slowMs: run.slowMs });
  const [capacity, paced, slow] = [new LoadProcess(), new AskedProcess<PacedQuestion>(program('paced-process.ts')), new AskedProcess<SlowQuestion>(program('slow-process.ts'))];
  try {
    const port = Number(new URL(await engine.ready()).port);
    const peak = await capacity.run({ port, connections: CONNECTIONS, ms: run.besideSeconds > SHORT_SECONDS ? CAPACITY_MS : SHORT_CAPACITY_MS, request: REQUEST });
    const perSecond = Math.max(1, Math.round(peak.perSecond / 2));
    await paced.ask({ type: 'start', port, path: '/work', perSecond, slowMs: Infinity });
    await sleep(1000);
    await paced.ask({ type: 'report' });
    await sleep(run.aloneSeconds * 1000);
    const alone = await paced.ask<PacedReport>({ type: 'report' });
    const before = residentMegabytes(engine.pid);
    await slow.ask({ type: 'open', counts: run.counts, port, pieceMs: Math.min(3000, run.slowMs / 4), lookMs: run.lookMs });
    await sleep(run.besideSeconds * 1000);
    const beside = await paced.ask<PacedReport>({ type: 'report' });
    const reports = await waitUntil('what became of a connection of each kind', async () => {
      const all = await slow.ask<Record<SlowKind, SlowReport>>({ type: 'report' });
      return Object.values(all).every(({ freed, kept, unopened }) => freed + kept + unopened > 0) && all;
    }, SEEN_MS);
    return { perSecond, alone, beside, slow: reports, megabytes: [Math.round(before), Math.round(residentMegabytes(engine.pid))] };
  } finally {
    capacity.stop();
    await Promise.all([paced.stop(), slow.stop()]);
    await engine.stop('SIGKILL');
  }
}

/** What a sound engine must not show, whatever the machine. */
export function slowFaults({ beside, slow }: SlowResult, { freedMs, lookMs }: SlowRun): readonly string[] {
  const faults = Object.entries(beside.failures).map(([what, count]) => `${count} requests of others: ${what}`);
  for (const [kind, { freed, longestMs, unopened, kept }] of Object.entries(slow)) {
    if (freed === 0) faults.push(`${kind}: none was freed`);
    if (kept > 0) faults.push(`${kind}: ${kept} were still sent to after ${lookMs} ms`);
    if (unopened > 0) faults.push(`${kind}: ${unopened} could not connect`);
    const unread = kind === 'stream' || kind === 'ranges';
    if (!unread && longestMs > freedMs) faults.push(`${kind}: freed after ${longestMs} ms`);
  }
  return faults;
}
