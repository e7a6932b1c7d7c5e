import type { Clock } from '@treadle/api';

/** Lets so many messages a second through, on average, after a first burst. */
export class MessageRate {
  private tokens: number;
  private at: number;

  constructor(private readonly clock: Clock, private readonly perSecond: number, private readonly burst: number) {
    this.tokens = burst;
    this.at = clock.monotonic();
  }

  /** False: it is one too many. */
  take(): boolean {
    const now = this.clock.monotonic();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.at) / 1000) * this.perSecond);
    this.at = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
