import { decodeKey, type Json, type StateEntry, type StreamEvent, type StreamGroup } from '@treadle/api';

/** An event as `stream_events` has it. */
export interface EventRow extends Record<string, unknown> {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'create' | 'update' | 'delete' | 'event';
  readonly type: string | null;
  readonly item: string | null;
  readonly data: string;
}

/** Times are the store's. */
export function eventOf({ stream, groupId }: StreamGroup, epoch: string, { seq, at, kind, type, item, data: text }: EventRow): StreamEvent {
  const data = JSON.parse(text) as Json;
  const event: StreamEvent['event'] = kind === 'event' ? { type: kind, event: { type: decodeKey(type ?? ''), data } } : { type: kind, data };
  return { stream, groupId, epoch, seq, ...item !== null && { id: decodeKey(item) }, event, timestamp: at };
}

/** An item as it is, or as a write under way will make it; `text` is null when it is missing. */
export interface KnownItem {
  readonly text: string | null;
  readonly revision: number;
}

export function entryOf({ text, revision }: KnownItem): StateEntry | undefined {
  return text === null ? undefined : { value: JSON.parse(text) as Json, revision };
}

/** One text for a group. */
export function groupText({ stream, groupId }: StreamGroup): string {
  return `${stream.length} ${stream} ${groupId}`;
}
