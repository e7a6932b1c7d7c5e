/** How retries of one trigger are spaced. Milliseconds. */
export interface Backoff {
  readonly type: 'exponential' | 'fixed';
  readonly delayMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** Part of the delay that is random, 0 to 1. */
  readonly jitter: number;
}

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

/** `config` as a Step writes it. */
export interface WrittenSettings {
  readonly type?: 'standard' | 'fifo';
  readonly maxAttempts?: number;
  readonly maxRetries?: number;
  readonly backoff?: Partial<Backoff>;
  readonly backoffType?: Backoff['type'];
  readonly backoffDelayMs?: number;
  readonly concurrency?: number;
  readonly timeoutMs?: number;
  readonly visibilityTimeout?: number;
  readonly delaySeconds?: number;
  readonly rateLimit?: { readonly max: number; readonly perMs: number };
}

const BACKOFF: Backoff = { type: 'exponential', delayMs: 1_000, factor: 3, maxMs: 900_000, jitter: 0.5 };

/** Resolves aliases and fills in defaults; a key beats its alias. */
export function deliverySettings(written: WrittenSettings = {}): DeliverySettings {
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
