import { decodeKey, type DeliveryProgress, encodeKey, type NewMessage, type StoreClock } from '@treadle/api';

const FORM = /^(-?\d+)(=?)([^\0]*)\0/;

/** What deliveries, peeked ones and dead letters have in common. */
export interface StoredMessage {
  readonly messageId: string;
  readonly kind: NewMessage['kind'];
  readonly data: string;
  readonly headers: string | undefined;
  readonly traceparent: string;
  readonly hops: number;
  readonly enqueuedAt: number;
  readonly groupId: string | undefined;
}

type Meta = readonly [id: string, kind: NewMessage['kind'], traceparent: string, hops: number, headers?: string];

/** A message as the store has it: `<moment of enqueueing>[=<group>]`, NUL, the rest but for the data as JSON in one line, and the data. */
export function messageText(message: Omit<NewMessage, 'topic' | 'to'>, time: Pick<StoreClock, 'toStore'>): string {
  const { id, kind, traceparent, hops, headers, enqueuedAt, groupId, data } = message;
  const meta: Meta = headers === undefined ? [id, kind, traceparent, hops] : [id, kind, traceparent, hops, headers];
  return `${time.toStore(enqueuedAt)}${groupId === undefined ? '' : `=${encodeKey(groupId)}`}\0${JSON.stringify(meta)}\n${data}`;
}

/** Reverses `messageText`. */
export function messageOf(text: string, time: Pick<StoreClock, 'fromStore'>): StoredMessage {
  const [head = '', at, grouped, group = ''] = FORM.exec(text) ?? [];
  const end = text.indexOf('\n', head.length);
  const [messageId, kind, traceparent, hops, headers] = JSON.parse(text.slice(head.length, end)) as Meta;
  return {
    messageId, kind, data: text.slice(end + 1), headers, traceparent, hops, enqueuedAt: time.fromStore(Number(at)),
    groupId: grouped === '=' ? decodeKey(group) : undefined,
  };
}

/** Progress as the store has it: `<attempts> <deaths> <history>`. */
export function progressText({ attempts, deaths, history }: DeliveryProgress): string {
  return `${attempts} ${deaths} ${history}`;
}

/** Reverses `progressText`; of an empty text the progress of what nobody has tried. */
export function progressOf(text: string): DeliveryProgress {
  const [, attempts = 0, deaths = 0, history = ''] = /^(\d+) (\d+) ([^]*)$/.exec(text) ?? [];
  return { attempts: Number(attempts), deaths: Number(deaths), history };
}
