import type { IsoTime } from './common.js';

/** One of `GET /cron`'s items. */
export interface CronTrigger {
  readonly step: string;
  readonly trigger: string;
  readonly expression: string;
  readonly timezone: string;
  readonly paused: boolean;
  readonly nextAt: IsoTime | null;
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
