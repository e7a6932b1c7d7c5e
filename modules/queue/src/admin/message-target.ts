import { type DeadLetter, matchesWithin, type PeekedDelivery, type QueryTarget, type QueryTest, queryArgument, textMatch, traceIdOf, valuesAt } from '@treadle/api';
import { historyEntries } from '../dead-letters/history.js';

/** Where a message that is not done stands. */
export const STATES = ['waiting', 'retrying', 'active', 'dead'] as const;
export type MessageState = typeof STATES[number];

/** What queries ask of a message. */
export interface AskedMessage {
  readonly state: MessageState;
  /** Of a dead letter when it died, else when it was enqueued; milliseconds since the epoch. */
  readonly at: number;
  readonly message: PeekedDelivery | DeadLetter;
  /** Payload and headers, read from their JSON text when a query asks for them. */
  readonly data: unknown;
  readonly headers: unknown;
}

const OWN: Readonly<Record<string, (asked: AskedMessage) => unknown>> = {
  id: ({ message }) => message.messageId, step: ({ message }) => message.step, topic: ({ message }) => message.topic, group: ({ message }) => message.groupId,
  attempt: ({ message }) => message.progress.attempts, state: ({ state }) => state, kind: ({ message }) => message.kind, time: ({ at }) => at,
  trace: ({ message }) => traceIdOf(message.traceparent), error: ({ message }) => lastError(message), reason: ({ message }) => ('reason' in message ? message.reason : undefined),
};

/** The query that a request has, over messages as they are at `now`. @throws {AdminError} 400 `invalid_query` */
export function messageQuery(query: string | undefined, now: number): QueryTest<AskedMessage> | undefined {
  return queryArgument(query, messageTarget(now));
}

/**
 * Messages by what the queue knows of them, and members of their payload by their dotted paths; `data.…` means the payload also where the queue has a field of that name, and
 * `headers.…` the headers.
 */
function messageTarget(now: number): QueryTarget<AskedMessage> {
  return {
    known: { id: 'text', step: 'text', topic: 'text', group: 'text', attempt: 'number', state: STATES, kind: 'text', time: 'time', age: 'duration', trace: 'text', error: 'text', reason: 'text' },
    values: (asked, field) => {
      if (field === 'age') return [Math.max(0, now - asked.at)];
      const own = Object.hasOwn(OWN, field) ? OWN[field] : undefined;
      if (own) return [own(asked)].filter((value) => value !== undefined && value !== '');
      if (field === 'data') return [asked.data];
      const inPayload = valuesAt(asked.data, field);
      return inPayload.length > 0 ? inPayload : valuesAt({ data: asked.data, headers: asked.headers }, field);
    },
    mentions: (text) => {
      const matches = textMatch(text);
      return (asked) => matches(asked.message.messageId) || matches(lastError(asked.message)) || matchesWithin([asked.data, asked.headers], matches);
    },
  };
}

export function askedMessage(state: MessageState, message: PeekedDelivery | DeadLetter): AskedMessage {
  const at = 'deadAt' in message ? message.deadAt : message.enqueuedAt;
  const [data, headers] = [onceRead(message.data), onceRead(message.headers)];
  return { state, at, message, get data() { return data(); }, get headers() { return headers(); } };
}

/** Of a damaged store the text as it is. */
function onceRead(text: string | undefined): () => unknown {
  let value: unknown;
  let isRead = text === undefined;
  return () => {
    if (isRead) return value;
    isRead = true;
    try {
      return value = JSON.parse(text as string) as unknown;
    } catch {
      return value = text;
    }
  };
}

function lastError({ progress }: PeekedDelivery | DeadLetter): string {
  const last = historyEntries(progress.history).at(-1);
  return last ? [last.name, last.message].filter((part) => part !== undefined).join(': ') : '';
}
