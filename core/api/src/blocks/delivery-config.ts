import type { ConfigSchema } from '../config-schema.js';

/** How retries of one trigger are spaced. Milliseconds. */
export interface Backoff {
  readonly type: 'exponential' | 'fixed';
  readonly delayMs: number;
  readonly factor: number;
  readonly maxMs: number;
  /** Part of the delay that is random, 0 to 1. */
  readonly jitter: number;
}

/** How deliveries of a trigger are tried, as a Step writes it; everything has a default. */
export interface DeliveryConfig {
  readonly type?: 'standard' | 'fifo';
  readonly maxAttempts?: number;
  readonly maxRetries?: number;
  readonly backoff?: Partial<Backoff>;
  readonly backoffType?: Backoff['type'];
  readonly backoffDelayMs?: number;
  readonly concurrency?: number | { readonly limit?: number; readonly total?: number };
  readonly timeoutMs?: number;
  readonly visibilityTimeout?: number;
  readonly delaySeconds?: number;
  readonly rateLimit?: { readonly max: number; readonly perMs: number };
}

const DAY_MS = 86_400_000;

const integer = (minimum: number, maximum: number, description: string, unit?: string): ConfigSchema =>
  ({ type: 'integer', minimum, maximum, description, ...(unit !== undefined && { 'x-unit': unit }) });
const KINDS = { type: 'string', enum: ['exponential', 'fixed'] } as const;
const DELAY = integer(0, DAY_MS, 'Delay before the second attempt; default 1000', 'ms');

/**
 * Schema of `config` in a trigger whose deliveries go through the queue: a queue trigger, or one of a kind with `deliveryKey`, which lists it
 * as `config: DELIVERY_CONFIG` among its keys.
 */
export const DELIVERY_CONFIG: ConfigSchema<DeliveryConfig> = {
  type: 'object', additionalProperties: false, description: 'How messages are delivered',
  properties: {
    type: { type: 'string', enum: ['standard', 'fifo'], description: 'fifo: strict order within a messageGroupId, or of all messages without one' },
    maxAttempts: integer(1, 1_000, 'Attempts until a message becomes a dead letter; default 10'),
    maxRetries: integer(0, 999, 'maxAttempts less 1'),
    backoff: {
      type: 'object', additionalProperties: false, description: 'Delay between attempts',
      properties: {
        type: { ...KINDS, description: 'Default exponential' },
        delayMs: DELAY,
        factor: { type: 'number', minimum: 1, maximum: 100, description: 'By which each delay grows; default 3' },
        maxMs: integer(0, DAY_MS, 'Longest delay; default 900000', 'ms'),
        jitter: { type: 'number', minimum: 0, maximum: 1, description: 'Part of the delay that is random; default 0.5' },
      },
    },
    backoffType: { ...KINDS, description: 'The same as backoff.type' },
    backoffDelayMs: { ...DELAY, description: 'The same as backoff.delayMs' },
    concurrency: {
      type: ['integer', 'object'], minimum: 1, maximum: 10_000, additionalProperties: false,
      description: 'Deliveries that run at a time in this engine; default 10. An object tells those of all engines as well',
      properties: {
        limit: integer(1, 10_000, 'Deliveries that run at a time in this engine; default 10'),
        total: integer(1, 10_000, 'Deliveries that run at a time in all engines of the store together; default: no limit'),
      },
    },
    timeoutMs: integer(100, DAY_MS, 'Time limit of an attempt; default 300000', 'ms'),
    visibilityTimeout: { type: 'number', minimum: 0.1, maximum: 86_400, 'x-unit': 'seconds', description: 'timeoutMs in seconds' },
    delaySeconds: { type: 'number', minimum: 0, maximum: 31_536_000, 'x-unit': 'seconds', description: 'Least delay of every message' },
    rateLimit: {
      type: 'object', additionalProperties: false, required: ['max', 'perMs'], description: 'Most deliveries that begin in a time',
      properties: { max: integer(1, 100_000, 'Deliveries'), perMs: integer(1, DAY_MS, 'The time', 'ms') },
    },
  },
};
