import type { Backoff, DeliveryConfig } from '@treadle/api';

/** `config` of a queue trigger, with aliases resolved and defaults filled in. */
export interface DeliverySettings {
  readonly fifo: boolean;
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** In this engine; never above `total`. */
  readonly concurrency: number;
  /** In all engines of the store together; absent: no limit. */
  readonly total?: number;
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
    ...concurrencyOf(written.concurrency),
    timeoutMs: written.timeoutMs ?? (visibilityTimeout === undefined ? 300_000 : Math.round(visibilityTimeout * 1_000)),
    delayMs: Math.round(delaySeconds * 1_000),
    rateLimit,
  };
}

function concurrencyOf(written: DeliveryConfig['concurrency']): Pick<DeliverySettings, 'concurrency' | 'total'> {
  const { limit = 10, total } = typeof written === 'object' ? written : { limit: written };
  return total === undefined ? { concurrency: limit } : { concurrency: Math.min(limit, total), total };
}
