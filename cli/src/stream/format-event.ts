import type { Json } from '@treadle/api';
import { preview } from '../admin/show.js';

const WIDTH = 200;

/** What a stream's watchers hear of. */
interface WatchedEvent {
  readonly timestamp?: number;
  readonly groupId?: string;
  readonly id?: string;
  readonly seq?: number;
  readonly event?: { readonly type?: string; readonly data?: Json; readonly event?: Json };
}

/** One line: when, which item, what happened, and the beginning of its data. */
export function formatEvent(event: unknown): string {
  const { timestamp = Date.now(), groupId = '', id, event: what } = event as WatchedEvent;
  const place = id === undefined ? groupId : `${groupId}/${id}`;
  const clock = new Date(timestamp).toISOString().slice(11, 23);
  return [clock, place, what?.type ?? 'event', preview(what?.data ?? what?.event, WIDTH)].filter((part) => part !== '').join('  ');
}
