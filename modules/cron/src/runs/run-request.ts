import { randomBytes } from 'node:crypto';
import { type CronRun, type InvokeRequest, newTraceId, type StepId } from '@treadle/api';
import { tickOf } from '../repeated-ticks.js';
import type { RunTrace } from '../cron-telemetry.js';

/** What a run starts. */
export interface CronJob {
  readonly step: StepId;
  /** Index in the Step's `triggers`. */
  readonly index: number;
  readonly timezone: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** The tick before a moment, if the trigger was there by then. Milliseconds since the epoch. */
  previousTick(before: number): number | undefined;
}

/** How long the invoker waits for a worker before it says that there is none; it is asked again then. */
const WAIT_MS = 60_000;

/** The start of the handler for a run. `input` is the `CronInput` of the `treadle` package. */
export function requestOf(run: CronRun, job: CronJob, { spanId, sampled }: RunTrace): InvokeRequest {
  const { scheduledAt, firedAt, missed, traceId, attempt } = run;
  const previous = job.previousTick(tickOf(run));
  return {
    step: job.step, trigger: { type: 'cron', index: job.index },
    input: {
      scheduledAt: iso(scheduledAt), firedAt: iso(firedAt), previousScheduledAt: previous === undefined ? null : iso(previous), missed,
      timezone: job.timezone,
    },
    traceId, spanId, sampled, timeoutMs: job.timeoutMs, attempt, lane: 'delivery', waitMs: WAIT_MS,
  };
}

/** A record that nobody has written yet, with an id and a trace of its own. */
export function newRun(from: Pick<CronRun, 'step' | 'trigger' | 'scheduledAt' | 'firedAt' | 'manual' | 'missed' | 'status'>): CronRun {
  const { step, trigger, scheduledAt, firedAt, manual, missed, status } = from;
  const [id, traceId] = [randomBytes(12).toString('hex'), newTraceId()];
  return { id, step, trigger, scheduledAt, firedAt, attempt: 1, manual, missed, status, traceId };
}

/** As it is while its handler has not begun: whoever takes it over has the attempt that this one would have been. */
export function unbegun(run: CronRun): CronRun {
  return { ...run, attempt: run.attempt - 1 };
}

const iso = (time: number): string => new Date(time).toISOString();
