import type { Clock, CounterSeries, Logger } from '@treadle/api';

const INTERVAL_MS = 60_000;

/** Counts what could not be sent and says so at most once a minute. */
export class LossReport {
  private since = 0;
  private warnedAt = -Infinity;

  constructor(
    private readonly place: { readonly signal: string; readonly endpoint: string },
    private readonly surroundings: { readonly log: Logger; readonly clock: Clock; readonly dropped: CounterSeries },
  ) {}

  readonly lost = (count: number, reason: string): void => {
    const { log, clock, dropped } = this.surroundings;
    dropped.add(count);
    this.since += count;
    const now = clock.monotonic();
    if (now - this.warnedAt < INTERVAL_MS) return;
    this.warnedAt = now;
    log.warn('telemetry was not sent', { ...this.place, dropped: this.since, reason });
    this.since = 0;
  };
}
