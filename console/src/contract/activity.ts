import type { EpochMs, Items } from './common.js';

/** `GET /traces/activity`: what the kept spans show of each Step. */
export interface Activity {
  readonly items: readonly StepActivity[];
  /** How many spans were looked at. */
  readonly spans: number;
  /** Start of the oldest. */
  readonly from?: EpochMs;
}

export interface StepActivity {
  readonly step: string;
  readonly runs: { readonly count: number; readonly errors: number; readonly p50Ms: number; readonly p95Ms: number; readonly lastAt: EpochMs };
  /** How its runs failed, that which failed last first; the latest 20 kinds. */
  readonly errors: readonly ErrorKind[];
  /** Messages by their topic. */
  readonly enqueued: Readonly<Record<string, number>>;
  readonly consumed: Readonly<Record<string, number>>;
  /** Reads and writes by group, and by stream. */
  readonly stateGroups: Readonly<Record<string, number>>;
  /** Writes alone, by group. */
  readonly stateWrites: Readonly<Record<string, number>>;
  readonly streams: Readonly<Record<string, number>>;
}

/** Runs of a Step by one kind of trigger that failed alike: their errors differ in numbers and ids only. */
export interface ErrorKind {
  /** e.g. `http` */
  readonly trigger: string;
  readonly type: string;
  /** With `<n>` and `<id>` for what differs. What is longer than 200 characters ends there with `…`. */
  readonly message: string;
  readonly count: number;
  /** Start of the first and the last of these runs. */
  readonly firstAt: EpochMs;
  readonly lastAt: EpochMs;
  /** Trace and span of the latest. */
  readonly traceId: string;
  readonly spanId: string;
  /** No run by this kind of trigger has succeeded since. */
  readonly now: boolean;
}

/** `GET /traces/failures?step=&limit=`: runs of a Step that failed, the latest first, as far as their spans are kept. */
export interface StepFailures extends Items<StepFailure> {
  /** Why some may not be there. */
  readonly note?: string;
}

export interface StepFailure {
  readonly traceId: string;
  /** The span of the handler. */
  readonly spanId: string;
  readonly startTime: EpochMs;
  readonly durationMs: number;
  readonly error: { readonly type: string; readonly message: string; readonly stack?: string };
}
