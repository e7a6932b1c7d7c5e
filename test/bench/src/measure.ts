import { type Question, requestBytes } from './contestant.js';
import type { Load } from './load-process.js';
import { cpuMicroseconds, residentMegabytes } from './process-usage.js';
import type { RunningServer } from './server-process.js';

/** One contestant in one round. */
export interface Measurement {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly oneConnectionP50Ms: number;
  /** Microseconds of processor time per request: of the server, and of its other processes together. */
  readonly cpuMain: number;
  readonly cpuOthers: number;
  /** Megabytes, all processes. */
  readonly residentMb: number;
  readonly failures: number;
  readonly non2xx: number;
}

export const CONNECTIONS = 64;
/** A share of a slice is enough for the latency of a single connection. */
const ONE_CONNECTION_SHARE = 0.3;

/**
 * Load before each slice that does not count, in seconds: while the others have their turn a server is idle, and V8 gives
 * back compiled code and heap. What is measured is a server at work.
 */
export const LEAD_IN_SECONDS = 2;

/** One slice with 64 connections and a short one with a single connection. */
export async function measure(question: Question, server: RunningServer, load: Load, seconds: number): Promise<Measurement> {
  const job = { port: server.port, request: requestBytes(question) };
  await load.run({ ...job, connections: CONNECTIONS, ms: LEAD_IN_SECONDS * 1000 });
  const pids = server.pids();
  const before = pids.map(cpuMicroseconds);
  const slice = await load.run({ ...job, connections: CONNECTIONS, ms: seconds * 1000 });
  const used = pids.map((pid, index) => cpuMicroseconds(pid) - (before[index] ?? NaN));
  const single = await load.run({ ...job, connections: 1, ms: seconds * 1000 * ONE_CONNECTION_SHARE });
  return {
    perSecond: slice.perSecond, p50Ms: slice.p50Ms, p99Ms: slice.p99Ms, oneConnectionP50Ms: single.p50Ms,
    cpuMain: (used[0] ?? NaN) / slice.requests, cpuOthers: sum(used.slice(1)) / slice.requests,
    residentMb: sum(pids.map(residentMegabytes)), failures: slice.failures + single.failures, non2xx: slice.non2xx + single.non2xx,
  };
}

/** Of those that are known: a spare process may end between two looks at it. NaN when none is, as on other systems. */
function sum(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length === 0 && values.length > 0 ? NaN : known.reduce((total, value) => total + value, 0);
}
