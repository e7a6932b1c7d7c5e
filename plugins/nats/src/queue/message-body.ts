import type { AdoptedDelivery, NewMessage, StoreClock } from '@treadle/api';

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
export function bodyOf({ id, kind, headers, traceparent, hops, enqueuedAt, groupId, data }: NewMessage, time: Moments): Buffer {
  const head: Head = { id, kind, headers, traceparent, hops, enqueuedAt: time.toStore(enqueuedAt), groupId };
  return Buffer.from(`${JSON.stringify(head)}\n${data}`);
}

/** Reverses `bodyOf`. @param replaced other data than those of the body */
export function contentOf(body: Buffer, time: Moments, replaced?: Buffer): BodyContent {
  const end = body.indexOf('\n');
  const { id, enqueuedAt, ...head } = JSON.parse(body.toString('utf8', 0, end)) as Head;
  return { messageId: id, data: replaced?.toString() ?? body.toString('utf8', end + 1), enqueuedAt: time.fromStore(enqueuedAt), headers: undefined, groupId: undefined, ...head };
}
