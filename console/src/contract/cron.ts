import type { IsoTime } from './common.js';

/** One of `GET /cron`'s items. */
export interface CronTrigger {
  readonly step: string;
  readonly trigger: string;
  readonly expression: string;
  readonly timezone: string;
  readonly paused: boolean;
  /** When the pause ends by itself; absent: somebody has to end it, or there is none. */
  readonly pausedUntil?: IsoTime;
  /** The next tick that runs. */
  readonly nextAt: IsoTime | null;
  /** Ticks to come that somebody lets be skipped, the next one first. `why` says who. */
  readonly skipped: readonly { readonly at: IsoTime; readonly why: string }[];
  readonly lastRun?: CronRun;
}

/** One of `GET /cron/runs`' items. */
export interface CronRun {
  readonly id: string;
  readonly step: string;
  readonly trigger: string;
  readonly scheduledAt: IsoTime;
  readonly firedAt: IsoTime;
  readonly attempt: number;
  readonly manual: boolean;
  readonly missed: boolean;
  readonly status: 'running' | 'succeeded' | 'failed' | 'skipped' | 'abandoned';
  readonly durationMs?: number;
  readonly traceId: string;
  readonly error?: string;
}

/** `GET /cron/calendar?from=&to=&limit=`: the ticks to come, 7 days and 1,000 by default, in the order of time. */
export interface CronCalendar {
  readonly items: readonly { readonly at: IsoTime; readonly step: string; readonly trigger: string }[];
  /** There are more in this time. */
  readonly truncated: boolean;
}

/** `GET /cron/expression?expression=&timezone=&count=&from=`: the ticks to come of any expression, 5 by default. */
export interface CronExpressionTest {
  /** As the engine understands it: names and shorthands replaced. */
  readonly expression: string;
  readonly timezone: string;
  readonly next: readonly CronTick[];
}

export interface CronTick {
  readonly at: IsoTime;
  /** What clocks show in the time zone, with its offset, e.g. `2027-03-28T03:00:00+02:00`. */
  readonly local: string;
  /**
   * `shifted`: the clocks leave the wanted time out, it comes at the first moment after; `first`, `again`: the clocks show this time twice;
   * `changed`: the offset is another one than at the tick before.
   */
  readonly dst?: 'shifted' | 'first' | 'again' | 'changed';
}

/** Body of `POST /cron/run` and `/resume`: a Step, and where it has several the trigger. */
export interface CronChoice {
  readonly step: string;
  readonly trigger?: string;
}

/** Body of `POST /cron/pause`. */
export interface CronPause extends CronChoice {
  /** When it ends by itself: the first tick from this moment on runs. Absent: `POST /cron/resume` ends it. */
  readonly until?: IsoTime;
}

/** Body of `POST /cron/skip`. */
export interface CronSkip extends CronChoice {
  /** The tick that is meant: 409 `not_the_next_tick` when another one is next by then. Absent: whichever is. */
  readonly at?: IsoTime;
}

/** What `POST /cron/run` answers. */
export interface CronStarted {
  readonly runId: string;
  readonly traceId: string;
}
