import { decodeKey, encodeKey, type Json, type StateEntry, type StreamEvent, type StreamGroup } from '@treadle/api';

/** An event as a script writes or gives it. `item` and `type` in the store's form; `item` is undefined for an event of the whole group. */
export interface EventRow {
  readonly seq: number;
  /** The store's time. */
  readonly at: number;
  readonly kind: string;
  readonly type: string;
  readonly item: string | undefined;
  /** JSON. */
  readonly data: string;
}

export function eventOf({ stream, groupId }: StreamGroup, epoch: string, { seq, at, kind, type, item, data: text }: EventRow): StreamEvent {
  const data = JSON.parse(text) as Json;
  const event = kind === 'event' ? { type: kind, event: { type: decodeKey(type), data } } as const : { type: kind as 'create' | 'update' | 'delete', data };
  return { stream, groupId, epoch, seq, ...item !== undefined && { id: decodeKey(item) }, event, timestamp: at };
}

/** An item as it is, or as a write under way will make it; `text` is undefined when it is missing. */
export interface KnownItem {
  readonly text: string | undefined;
  readonly revision: number;
}

/** @param raw the item with its revision, or the revision that a missing one goes on from */
export function knownItem(raw: string | number): KnownItem {
  if (typeof raw === 'number') return { text: undefined, revision: raw };
  const end = raw.indexOf('\n');
  return { revision: Number(raw.slice(0, end)), text: raw.slice(end + 1) };
}

export function entryOf({ text, revision }: KnownItem): StateEntry | undefined {
  return text === undefined ? undefined : { value: JSON.parse(text) as Json, revision };
}

/** The name of a group in the store. */
export function groupName({ stream, groupId }: StreamGroup): string {
  return `${encodeKey(stream)}\0${encodeKey(groupId)}`;
}
