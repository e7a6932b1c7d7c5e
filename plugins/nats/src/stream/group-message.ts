import type { Json, StreamEvent, StreamGroup } from '@treadle/api';

/** An event as a group's messages have it. */
export interface KeptEvent {
  /** Item; undefined for an event of the whole group. */
  readonly id: string | undefined;
  readonly kind: 'create' | 'update' | 'delete' | 'event';
  /** Of an event that was sent. */
  readonly type: string | undefined;
  /** JSON: the item, the item as it was, or what was sent. */
  readonly text: string;
  /** Of the item after it. */
  readonly revision: number;
  /** Position of the event that created the item: items are in this order. */
  readonly born: number;
  /** Milliseconds since the epoch, by the store's time. */
  readonly at: number;
  /** Of a change for triggers. */
  readonly origin: string | undefined;
}

/** What one message adds to a group. */
export interface GroupMessage {
  /** Position of the first event. */
  readonly first: number;
  /** Sequence of the message of the group before it. */
  readonly prev: number;
  /** No item that was deleted had a higher revision. */
  readonly floor: number;
  /** Items that there are after it. */
  readonly items: number;
  readonly events: readonly KeptEvent[];
}

interface Head {
  readonly first: number; readonly prev: number; readonly floor: number; readonly items: number;
}
interface EventHead {
  readonly i?: string | undefined; readonly k: KeptEvent['kind']; readonly t?: string | undefined; readonly r: number; readonly b: number; readonly a: number;
  readonly o?: string | undefined;
}

/** Texts are JSON, so they go in as they are. */
export function encodeMessage({ first, prev, floor, items, events }: GroupMessage): string {
  const parts = events.map(({ id, kind, type, text, revision, born, at, origin }) => (
    `[${JSON.stringify({ i: id, k: kind, t: type, r: revision, b: born, a: at, o: origin } satisfies EventHead)},${text}]`));
  return `{"head":${JSON.stringify({ first, prev, floor, items } satisfies Head)},"events":[${parts.join()}]}`;
}

export function decodeMessage(text: string): GroupMessage {
  const { head, events } = JSON.parse(text) as { readonly head: Head; readonly events: readonly (readonly [EventHead, Json])[] };
  return {
    ...head,
    events: events.map(([{ i, k, t, r, b, a, o }, data]) => ({ id: i, kind: k, type: t, text: JSON.stringify(data), revision: r, born: b, at: a, origin: o })),
  };
}

/** How many changes for triggers a message has. */
export function changesIn({ events }: GroupMessage): number {
  return events.filter(({ origin }) => origin !== undefined).length;
}

/** An event as watchers are told it. */
export function toldEvent({ stream, groupId }: StreamGroup, place: { readonly epoch: string; readonly seq: number }, event: KeptEvent): StreamEvent {
  const { id, kind, type = '', text, at } = event;
  const data = JSON.parse(text) as Json;
  return {
    stream, groupId, ...place, ...id !== undefined && { id },
    event: kind === 'event' ? { type: kind, event: { type, data } } : { type: kind, data }, timestamp: at,
  };
}
