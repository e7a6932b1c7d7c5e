import { type ConfigSchema, type DeclaredTriggerKind, isTopicName, type StepConfigRecord, TOPIC_RULE, type TriggerRecord } from '@treadle/api';
import type { Finding } from './finding.js';
import { foreignConfig } from './foreign-config.js';
import { checkSchema, unknownKey } from './schema-check.js';
import { checkTrigger, isTrigger } from './trigger-check.js';

const TEXT_LIST: ConfigSchema = { type: 'array', items: { type: 'string', minLength: 1 } };

/** Keys of a Step's config. */
const CONFIG: ConfigSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 200 },
    description: { type: 'string' },
    triggers: { type: 'array', items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } } },
    enqueues: TEXT_LIST,
    flows: TEXT_LIST,
    virtualEnqueues: TEXT_LIST,
    virtualSubscribes: TEXT_LIST,
    atomic: { type: 'boolean' },
  },
};
/** In the place of what cannot be read as one. */
const NO_TRIGGER: TriggerRecord = { type: '' };
const KEYS = Object.keys(CONFIG.properties ?? {});

/** A config as far as it could be read, and all that is wrong with it. */
export interface CheckedConfig {
  /** Undefined when it cannot be a Step at all. */
  readonly config?: StepConfigRecord;
  readonly findings: readonly Finding[];
}

/** Checks what a worker reported as a Step's config against the base and the loaded trigger kinds. */
export function checkConfig(written: unknown, kinds: readonly DeclaredTriggerKind[]): CheckedConfig {
  const value = withTriggers(written);
  const foreign = isObject(value) ? foreignConfig(value, KEYS, kinds) : undefined;
  if (!foreign) return checkOwn(value, kinds);
  const { config, findings } = checkOwn(foreign.rest, kinds);
  return { ...(config && { config }), findings: [foreign.finding, ...findings] };
}

/** Without triggers, and with `type: 'noop'`, a Step is only drawn. What names its trigger in another form keeps it, for the finding about that. */
function withTriggers(value: unknown): unknown {
  if (!isObject(value) || 'triggers' in value) return value;
  const { type, ...config } = value;
  if (type === undefined && (value['subscribes'] !== undefined || value['cron'] !== undefined)) return value;
  return type === undefined || type === 'noop' ? { ...config, triggers: [] } : value;
}

function checkOwn(value: unknown, kinds: readonly DeclaredTriggerKind[]): CheckedConfig {
  const subject = { path: 'config', owner: 'a Step config' };
  const findings = [...checkSchema(value, CONFIG, subject)];
  if (!isObject(value)) return { findings };
  for (const key of Object.keys(value)) {
    if (!KEYS.includes(key)) findings.push(unknownKey(subject, key, KEYS));
  }
  const { name, enqueues, atomic } = value;
  const triggers = Array.isArray(value['triggers']) ? value['triggers'].map((one: unknown) => (isTrigger(one) ? one : NO_TRIGGER)) : [];
  triggers.forEach((trigger, index) => findings.push(...(trigger === NO_TRIGGER ? [] : checkTrigger(trigger, index, kinds))));
  findings.push(...duplicateTopics(triggers.map((trigger) => (trigger.type === 'queue' ? trigger.topic : undefined)), 'triggers'));
  if (Array.isArray(enqueues)) findings.push(...badTopics(enqueues), ...duplicateTopics(enqueues, 'enqueues'));
  if (atomic === true) findings.push(...notAtomic(triggers, kinds));
  return typeof name === 'string' && name !== '' ? { config: { ...value, name, triggers }, findings } : { findings };
}

/** Each reason once, whichever triggers it is of. */
function notAtomic(triggers: readonly TriggerRecord[], kinds: readonly DeclaredTriggerKind[]): readonly Finding[] {
  const refusals = new Map<string, Finding>();
  for (const { type } of triggers) {
    const reason = kinds.find((kind) => kind.type === type)?.notAtomic;
    if (!reason || refusals.has(reason.problem)) continue;
    const message = `config.atomic: a Step with trigger kind ${type} cannot be atomic here: ${reason.problem}`;
    refusals.set(reason.problem, { code: 'STEP_NOT_ATOMIC', message, remedy: reason.remedy });
  }
  return [...refusals.values()];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nothing could ever be enqueued to them. What is empty or no text has been found already. */
function badTopics(enqueues: readonly unknown[]): readonly Finding[] {
  return enqueues.flatMap((topic, index) => (typeof topic !== 'string' || topic === '' || isTopicName(topic) ? [] : [{
    code: 'STEP_BAD_TOPIC', message: `config.enqueues[${index}]: "${topic}" cannot be a topic`, remedy: `use ${TOPIC_RULE}`,
  }]));
}

function duplicateTopics(topics: readonly unknown[], key: string): readonly Finding[] {
  const named = topics.filter((topic) => typeof topic === 'string');
  const repeated = new Set(named.filter((topic, index) => named.indexOf(topic) !== index));
  return [...repeated].map((topic) => ({
    code: 'STEP_DUPLICATE_TOPIC', message: `config.${key}: topic "${topic}" is named more than once`, remedy: 'name it once',
  }));
}
