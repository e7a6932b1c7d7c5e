import { formatLocation, isTopicName, type StepRecord } from '@treadle/api';
import { didYouMean, type Finding, type StepWarning } from './finding.js';
import { nearestTopic } from './nearest-topic.js';
import { schemaConflict } from './schema-conflict.js';

interface Consumer {
  readonly step: StepRecord;
  readonly topic: string;
  /** Index of the trigger. */
  readonly index: number;
  readonly input: unknown;
}

/**
 * What is odd about the topics of an application: enqueued and never consumed, consumed and never enqueued, consumed with
 * schemas that no message can fit both. `known` are all Steps whose config could be read, also disabled ones: what they
 * would do is no reason for further warnings.
 */
export function checkTopics(steps: readonly StepRecord[], known: readonly StepRecord[]): readonly StepWarning[] {
  const consumed = new Set(known.flatMap((step) => [...consumers(step).map(({ topic }) => topic), ...texts(step.config.virtualSubscribes)]));
  const enqueued = new Set(known.flatMap(({ config }) => [...texts(config.enqueues), ...texts(config.virtualEnqueues)]));
  // A topic that lacks its own other end is the likelier one to be meant.
  const [meant, sent] = [candidates(consumed, enqueued), candidates(enqueued, consumed)];
  return [
    ...steps.flatMap((step) => [...new Set(texts(step.config.enqueues))].filter((topic) => isTopicName(topic) && !consumed.has(topic))
      .map((topic) => ({ step, finding: notConsumed(topic, meant) }))),
    ...steps.flatMap((step) => onceEach(consumers(step)).filter(({ topic }) => !enqueued.has(topic))
      .map((consumer) => ({ step, finding: notEnqueued(consumer, sent) }))),
    ...contradictions(steps.flatMap(consumers)),
  ];
}

/** The first consumer of a topic by path is right; each other one is compared with those before it. */
function contradictions(all: readonly Consumer[]): readonly StepWarning[] {
  const before = new Map<string, Consumer[]>();
  return all.flatMap((consumer) => {
    const others = before.get(consumer.topic) ?? [];
    before.set(consumer.topic, others);
    const found = firstConflict(consumer, others);
    others.push(consumer);
    return found;
  });
}

function firstConflict(consumer: Consumer, others: readonly Consumer[]): readonly StepWarning[] {
  for (const other of others) {
    const reason = other.step === consumer.step ? undefined : schemaConflict(other.input, consumer.input);
    if (reason !== undefined) return [{ step: consumer.step, finding: contradiction(consumer, other, reason) }];
  }
  return [];
}

function consumers(step: StepRecord): readonly Consumer[] {
  return step.config.triggers.flatMap(({ type, topic, input }, index) =>
    (type === 'queue' && typeof topic === 'string' ? [{ step, topic, index, input }] : []));
}

function notConsumed(topic: string, { likely, others }: Candidates): Finding {
  return warning('STEP_TOPIC_NOT_CONSUMED', `config.enqueues: no Step consumes topic "${topic}"; its messages are kept for 7 days`,
    didYouMean(nearestTopic(topic, likely, others), `add a Step with a queue trigger for "${topic}", or name it in "virtualSubscribes" of the Step that stands for its consumer`));
}

function notEnqueued({ topic, index }: Consumer, { likely, others }: Candidates): Finding {
  return warning('STEP_TOPIC_NOT_ENQUEUED', `config.triggers[${index}]: no Step enqueues to topic "${topic}"`,
    didYouMean(nearestTopic(topic, likely, others), `list "${topic}" in "enqueues" of the Step that sends it, or in "virtualEnqueues" of one that stands for its sender`));
}

function contradiction({ topic, index }: Consumer, other: Consumer, reason: string): Finding {
  const { step } = other;
  const place = formatLocation({ file: step.file, ...(step.line !== undefined && { line: step.line }) });
  return warning('STEP_TOPIC_CONTRADICTION',
    `config.triggers[${index}].input: no message of topic "${topic}" can fit both this schema and that of Step "${step.id}" in ${place}: ${reason}`,
    'let both use one topic() with its schema, or two topics');
}

/** Topics that may be meant by another one. */
interface Candidates {
  readonly likely: readonly string[];
  readonly others: readonly string[];
}

function candidates(topics: ReadonlySet<string>, otherEnds: ReadonlySet<string>): Candidates {
  return { likely: [...topics].filter((topic) => !otherEnds.has(topic)), others: [...topics].filter((topic) => otherEnds.has(topic)) };
}

function warning(code: string, message: string, remedy: string): Finding {
  return { code, message, remedy, severity: 'warning' };
}

/** A disabled Step's lists may hold anything. */
/** What repeats a topic is an error that is told elsewhere. */
function onceEach(all: readonly Consumer[]): readonly Consumer[] {
  return all.filter(({ topic }, index) => all.findIndex((other) => other.topic === topic) === index);
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
