import type { Backoff, DeliveryConfig } from '@treadle/api';

/** `config` of a queue trigger, with aliases resolved and defaults filled in. */
export interface DeliverySettings {
  readonly fifo: boolean;
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly delayMs: number;
  readonly rateLimit: { readonly max: number; readonly perMs: number } | undefined;
}

const BACKOFF: Backoff = { type: 'exponential', delayMs: 1_000, factor: 3, maxMs: 900_000, jitter: 0.5 };

/** Resolves aliases and fills in defaults; a key beats its alias. */
export function deliverySettings(written: DeliveryConfig = {}): DeliverySettings {
  const { type, maxRetries, backoffType, backoffDelayMs, visibilityTimeout, delaySeconds = 0, rateLimit } = written;
  return {
    fifo: type === 'fifo',
    maxAttempts: written.maxAttempts ?? (maxRetries === undefined ? 10 : maxRetries + 1),
    backoff: {
      ...BACKOFF,
      ...(backoffType !== undefined && { type: backoffType }),
      ...(backoffDelayMs !== undefined && { delayMs: backoffDelayMs }),
      ...written.backoff,
    },
    concurrency: written.concurrency ?? 10,
    timeoutMs: written.timeoutMs ?? (visibilityTimeout === undefined ? 300_000 : Math.round(visibilityTimeout * 1_000)),
    delayMs: Math.round(delaySeconds * 1_000),
    rateLimit,
  };
}
