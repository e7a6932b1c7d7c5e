import { type AttributeValue, matchesWithin, type QueryTarget, textMatch, valuesAt } from '@treadle/api';
import { safeAttribute, safeAttributes } from '../redaction/safe-span.js';
import { attemptOf } from './enqueued-at.js';
import type { SpanRing } from './span-ring.js';

/** A message that a Step was done with, as the span of its delivery has it. */
export interface DoneMessage {
  readonly messageId: string;
  readonly step: string;
  readonly topic: string;
  readonly outcome: typeof OUTCOMES[number];
  readonly attempt: number;
  readonly durationMs: number;
  /** Milliseconds since the epoch. */
  readonly doneAt: number;
  readonly traceId: string;
  readonly spanId: string;
}

/** Done messages, the latest first, and how far the search came. */
export interface DonePage {
  readonly items: readonly DoneMessage[];
  /** Spans of deliveries that were looked at. */
  readonly examined: number;
  readonly cursor?: string;
}

/** Which are wanted. */
export interface DoneSearch {
  /** Names of topics, or what stands for them where there is none. */
  readonly topics: readonly string[];
  readonly fits: ((asked: AskedDelivery) => boolean) | undefined;
  readonly limit: number;
  /** Only spans before this number. */
  readonly before: number | undefined;
}

/** What queries ask of a delivery that is over. */
export interface AskedDelivery {
  readonly ring: SpanRing;
  readonly row: number;
  readonly message: DoneMessage;
}

const OUTCOMES = ['done', 'skipped'] as const;
/** Most deliveries that one question looks at. */
export const MOST_EXAMINED = 20_000;

/** Done messages of topics, as far as their spans are kept. */
export function doneMessages(ring: SpanRing, { topics, fits, limit, before = ring.end }: DoneSearch): DonePage {
  const items: DoneMessage[] = [];
  let examined = 0;
  for (let row = Math.min(before, ring.end) - 1; row >= ring.oldest; row -= 1) {
    const message = ring.kind(row) === 'consumer' ? doneAt(ring, row) : undefined;
    if (!message || !topics.includes(message.topic)) continue;
    if (items.length === limit || examined === MOST_EXAMINED) return { items, examined, cursor: String(row + 1) };
    examined += 1;
    if (!fits || fits({ ring, row, message })) items.push(message);
  }
  return { items, examined };
}

function doneAt(ring: SpanRing, row: number): DoneMessage | undefined {
  const attributes = ring.attributesOf(row);
  const outcome = OUTCOMES.find((one) => one === attributes['queue.outcome']);
  if (outcome === undefined) return undefined;
  return {
    messageId: String(attributes['messaging.message.id']), step: ring.stepName(row), topic: String(attributes['messaging.destination.name']), outcome, attempt: attemptOf(attributes),
    durationMs: ring.duration(row), doneAt: ring.start(row) + ring.duration(row), traceId: ring.traceId(row), spanId: ring.spanId(row),
  };
}

const OWN: Readonly<Record<string, (message: DoneMessage) => unknown>> = {
  id: ({ messageId }) => messageId, step: ({ step }) => step, topic: ({ topic }) => topic, attempt: ({ attempt }) => attempt, state: ({ outcome }) => outcome, duration: ({ durationMs }) => durationMs,
  time: ({ doneAt: at }) => at, trace: ({ traceId }) => traceId, span: ({ spanId }) => spanId,
};

/** Messages by what their delivery was, and the attributes of its span. Their payload is not kept. */
export function doneTarget(now: number): QueryTarget<AskedDelivery> {
  return {
    known: { id: 'text', step: 'text', topic: 'text', attempt: 'number', state: OUTCOMES, duration: 'duration', time: 'time', age: 'duration', trace: 'text', span: 'text' },
    values: ({ ring, row, message }, field) => {
      if (field === 'age') return [Math.max(0, now - message.doneAt)];
      const own = Object.hasOwn(OWN, field) ? OWN[field] : undefined;
      if (own) return [own(message)];
      return valuesAt(ring.attributesOf(row), field).map((value) => safeAttribute(field, value as AttributeValue)).flat();
    },
    mentions: (text) => {
      const matches = textMatch(text);
      return ({ ring, row, message: { messageId, step } }) => matches(messageId) || matches(step) || matchesWithin(safeAttributes(ring.attributesOf(row)), matches);
    },
  };
}
