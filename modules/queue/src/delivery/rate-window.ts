/** Lets at most `max` starts happen within any `perMs`. */
export class RateWindow {
  /** When the last starts happened: a ring, oldest at `head`. */
  private readonly times: Float64Array;
  private head = 0;
  private size = 0;

  constructor(readonly max: number, readonly perMs: number) {
    this.times = new Float64Array(max);
  }

  /** Starts that are allowed now. `now`: milliseconds of the monotonic clock. */
  available(now: number): number {
    const { times, max, perMs } = this;
    while (this.size > 0 && (times[this.head] as number) + perMs <= now) {
      this.head = (this.head + 1) % max;
      this.size--;
    }
    return max - this.size;
  }

  /** Counts a start. */
  take(now: number): void {
    if (this.size === this.max) return;
    this.times[(this.head + this.size) % this.max] = now;
    this.size++;
  }

  /** Milliseconds until the next start is allowed; 0 when one is. */
  waitMs(now: number): number {
    if (this.available(now) > 0) return 0;
    return Math.max(1, Math.ceil((this.times[this.head] as number) + this.perMs - now));
  }
}
