import type { Clock, CronAdapter, Logger, Timer } from '@treadle/api';

/** How long a run stays ours without being renewed. */
export const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
/** Pause after the store has failed: it is renewed as soon as it is back. */
const RETRY_MS = 1_000;

interface LeaseParts {
  readonly adapter: Pick<CronAdapter, 'renew'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Runs by their id; the function is called when another engine has that run by now. */
export type LeasedRuns = ReadonlyMap<string, () => void>;

/** Renews runs as long as they are in these hands. */
export class RunLeases {
  private readonly timer: Timer;
  private retry: Timer | undefined;
  private failing = false;
  private stopped = false;

  constructor(private readonly parts: LeaseParts, private readonly leased: () => LeasedRuns) {
    this.timer = parts.clock.every(RENEW_MS, () => void this.renew());
  }

  stop(): void {
    this.stopped = true;
    this.timer.cancel();
    this.retry?.cancel();
  }

  private async renew(): Promise<void> {
    this.retry?.cancel();
    const leased = this.leased();
    if (leased.size === 0) return;
    try {
      const held = new Set(await this.parts.adapter.renew([...leased.keys()], LEASE_MS));
      this.failing = false;
      for (const [id, lost] of leased) if (!held.has(id)) lost();
    } catch (error) {
      this.failed(error as Error);
    }
  }

  private failed({ message }: Error): void {
    if (!this.failing) this.parts.log.warn('cron runs could not be renewed; this is tried again', { reason: message });
    this.failing = true;
    this.retry?.cancel();
    if (!this.stopped) this.retry = this.parts.clock.after(RETRY_MS, () => void this.renew());
  }
}
