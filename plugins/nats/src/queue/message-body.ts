import type { AdoptedDelivery, NewMessage, StoreClock } from '@treadle/api';
import type { BodyPlaces } from './machine/delivery.js';

/** Bytes of a body beyond which data go into another one: each has to go into a message of the log. */
const MOST_BYTES = 900_000;

/** How moments of callers become those of the store, and back. */
export type Moments = Pick<StoreClock, 'toStore' | 'fromStore'>;

/** What a body has before its data. */
interface Head {
  readonly id: string;
  readonly kind: NewMessage['kind'];
  readonly headers?: string | undefined;
  readonly traceparent: string;
  readonly hops: number;
  /** By the store's time. */
  readonly enqueuedAt: number;
  readonly groupId?: string | undefined;
}

/** What of a message lies in its body. Moments are those of the engine's clock. */
export type BodyContent = Pick<AdoptedDelivery, 'messageId' | 'kind' | 'data' | 'headers' | 'traceparent' | 'hops' | 'enqueuedAt' | 'groupId'>;

/** The body of a message: a line of JSON, then the data. */
function bodyOf({ id, kind, headers, traceparent, hops, enqueuedAt, groupId, data }: NewMessage, time: Moments): Buffer {
  const head: Head = { id, kind, headers, traceparent, hops, enqueuedAt: time.toStore(enqueuedAt), groupId };
  return Buffer.from(`${JSON.stringify(head)}\n${data}`);
}

/** The body of a message; where that is too large, one without data, and the data. */
export function bodiesOf(message: NewMessage, time: Moments): readonly Buffer[] {
  const body = bodyOf(message, time);
  return body.length > MOST_BYTES ? [bodyOf({ ...message, data: '' }, time), Buffer.from(message.data)] : [body];
}

/** Where the bodies of each message are among those of all. @param first place of the first of them */
export function placesOf(bodies: readonly (readonly Buffer[])[], first: number): readonly BodyPlaces[] {
  let next = first;
  return bodies.map(({ length }) => {
    const body = next;
    next += length;
    return length > 1 ? { body, data: body + 1 } : { body };
  });
}

/** Reverses `bodyOf`. @param replaced other data than those of the body */
export function contentOf(body: Buffer, time: Moments, replaced?: Buffer): BodyContent {
  const end = body.indexOf('\n');
  const { id, enqueuedAt, ...head } = JSON.parse(body.toString('utf8', 0, end)) as Head;
  return { messageId: id, data: replaced?.toString() ?? body.toString('utf8', end + 1), enqueuedAt: time.fromStore(enqueuedAt), headers: undefined, groupId: undefined, ...head };
}
