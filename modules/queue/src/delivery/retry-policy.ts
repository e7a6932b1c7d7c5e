import type { Backoff } from '@treadle/api';

/** Longest delay that `RetryAfter` may ask for. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * Milliseconds until the next attempt after `failed` failed ones (from 1): d(n) = min(delay * factor^(n-1), max), less a
 * random part of at most `jitter`. `random` gives numbers from 0 to 1.
 */
export function retryDelay(backoff: Backoff, failed: number, random: () => number): number {
  const { type, delayMs, factor, maxMs, jitter } = backoff;
  const longest = Math.min(type === 'fixed' ? delayMs : delayMs * factor ** (failed - 1), maxMs);
  return Math.round(longest * (1 - jitter * random()));
}

/** Milliseconds that a handler asked for by `RetryAfter`, within bounds. */
export function retryAfter(askedMs: number): number {
  return Math.min(Math.max(0, Math.round(askedMs)), MAX_RETRY_AFTER_MS);
}
