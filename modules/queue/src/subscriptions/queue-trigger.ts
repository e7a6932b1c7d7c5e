import { DELIVERY_CONFIG, type DeliveryConfig, isTopicName, TOPIC_RULE, type TriggerIssue, type TriggerKindSpec, type TriggerNeed, type TriggerRecord } from '@treadle/api';
import { schemaIssues } from '@treadle/json';

/** A queue trigger after its check; functions have become `true`. */
export interface QueueTrigger extends TriggerRecord {
  readonly type: 'queue';
  readonly topic: string;
  readonly input?: object | boolean;
  readonly config?: DeliveryConfig;
}

/** The trigger kind `queue`. */
export const QUEUE_TRIGGER_KIND: TriggerKindSpec = {
  type: 'queue',
  queued: true,
  summary: 'Starts the handler for each message of a topic',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['topic'],
    properties: {
      topic: { type: 'string', minLength: 1, description: 'Topic that is consumed' },
      input: { type: ['object', 'boolean'], description: 'JSON Schema of the message; a violation is a dead letter at once' },
      config: DELIVERY_CONFIG,
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

function aliasIssues(config: DeliveryConfig): TriggerIssue[] {
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
