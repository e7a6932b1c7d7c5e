import { type ConfigSchema, isTopicName, TOPIC_RULE, type TriggerIssue, type TriggerKindSpec, type TriggerNeed, type TriggerRecord } from '@treadle/api';
import { schemaIssues } from '@treadle/json';
import type { WrittenSettings } from './delivery-settings.js';

/** A queue trigger after its check; functions have become `true`. */
export interface QueueTrigger extends TriggerRecord {
  readonly type: 'queue';
  readonly topic: string;
  readonly input?: object | boolean;
  readonly config?: WrittenSettings;
}

const DAY_MS = 86_400_000;

const integer = (minimum: number, maximum: number, description: string, unit?: string): ConfigSchema =>
  ({ type: 'integer', minimum, maximum, description, ...(unit !== undefined && { 'x-unit': unit }) });
const KINDS = { type: 'string', enum: ['exponential', 'fixed'] } as const;
const DELAY = integer(0, DAY_MS, 'Delay before the second attempt; default 1000', 'ms');

const CONFIG_SCHEMA: ConfigSchema<WrittenSettings> = {
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
    concurrency: integer(1, 10_000, 'Deliveries that run at a time in this engine; default 10'),
    timeoutMs: integer(100, DAY_MS, 'Time limit of an attempt; default 300000', 'ms'),
    visibilityTimeout: { type: 'number', minimum: 0.1, maximum: 86_400, 'x-unit': 'seconds', description: 'timeoutMs in seconds' },
    delaySeconds: { type: 'number', minimum: 0, maximum: 31_536_000, 'x-unit': 'seconds', description: 'Least delay of every message' },
    rateLimit: {
      type: 'object', additionalProperties: false, required: ['max', 'perMs'], description: 'Most deliveries that begin in a time',
      properties: { max: integer(1, 100_000, 'Deliveries'), perMs: integer(1, DAY_MS, 'The time', 'ms') },
    },
  },
};

/** The trigger kind `queue`. */
export const QUEUE_TRIGGER_KIND: TriggerKindSpec = {
  type: 'queue',
  summary: 'Starts the handler for each message of a topic',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['topic'],
    properties: {
      topic: { type: 'string', minLength: 1, description: 'Topic that is consumed' },
      input: { type: ['object', 'boolean'], description: 'JSON Schema of the message; a violation is a dead letter at once' },
      config: CONFIG_SCHEMA,
      condition: { description: 'Only true runs the handler; otherwise the message counts as processed' },
    },
  },
  validate: (trigger) => queueTriggerIssues(trigger as QueueTrigger),
  needs: (trigger) => queueTriggerNeeds(trigger as QueueTrigger),
  label: (trigger) => `queue ${String(trigger['topic'])}`,
};

/** What is wrong with a queue trigger beyond its schema. */
export function queueTriggerIssues({ topic, input, config }: QueueTrigger): readonly TriggerIssue[] {
  return [...topicIssues(topic), ...schemaIssues('input', input), ...(config ? aliasIssues(config) : [])];
}

/** What a queue trigger asks of the adapter. Pauses between attempts that are not written down are no wish: an adapter without delays tries again at once. */
export function queueTriggerNeeds({ config = {} }: QueueTrigger): readonly TriggerNeed[] {
  const delays: readonly (readonly [key: string, value: unknown])[] = [
    ['delaySeconds', config.delaySeconds], ['backoff.delayMs', config.backoff?.delayMs], ['backoffDelayMs', config.backoffDelayMs],
  ];
  return [
    ...config.type === 'fifo' ? [{ slot: 'adapter', capability: 'ordering', key: 'config.type', what: 'order of messages', instead: 'write type: standard' }] : [],
    ...delays.filter(([, value]) => typeof value === 'number' && value > 0).map(([key]) =>
      ({ slot: 'adapter', capability: 'delayed', key: `config.${key}`, what: 'delays', instead: `remove ${key}` })),
  ];
}

function topicIssues(topic: unknown): TriggerIssue[] {
  if (isTopicName(topic)) return [];
  return [{ key: 'topic', code: 'STEP_BAD_TOPIC', message: `"${String(topic)}" cannot be a topic`, remedy: `use ${TOPIC_RULE}` }];
}

function aliasIssues(config: WrittenSettings): TriggerIssue[] {
  const { maxAttempts, maxRetries, backoff, backoffType, backoffDelayMs, timeoutMs, visibilityTimeout } = config;
  const pairs: readonly (readonly [key: string, value: unknown, alias: string, other: unknown])[] = [
    ['maxAttempts', maxAttempts, 'maxRetries', maxRetries],
    ['backoff.type', backoff?.type, 'backoffType', backoffType],
    ['backoff.delayMs', backoff?.delayMs, 'backoffDelayMs', backoffDelayMs],
    ['timeoutMs', timeoutMs, 'visibilityTimeout', visibilityTimeout],
  ];
  return pairs.filter(([, value, , other]) => value !== undefined && other !== undefined).map(([key, , alias]) => ({
    key: `config.${alias}`, code: 'STEP_BAD_VALUE', message: `${alias} says the same as ${key}, which is written too`,
    remedy: `remove one of the two`,
  }));
}
