import type { Clock } from '@treadle/api';

/** The settings that it goes by; a reload changes them under it. */
export interface RateLimits {
  readonly max_messages_per_second: number;
  readonly max_subscriptions: number;
}

/** Lets so many messages a second through, on average, after a first burst. */
export class MessageRate {
  private tokens: number;
  private at: number;

  constructor(private readonly clock: Clock, private readonly limits: RateLimits) {
    this.tokens = burstOf(limits);
    this.at = clock.monotonic();
  }

  /** False: it is one too many. */
  take(): boolean {
    const now = this.clock.monotonic();
    this.tokens = Math.min(burstOf(this.limits), this.tokens + ((now - this.at) / 1000) * this.limits.max_messages_per_second);
    this.at = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}

/** A client may join all its streams at once. */
function burstOf({ max_messages_per_second: rate, max_subscriptions: most }: RateLimits): number {
  return rate + most;
}
