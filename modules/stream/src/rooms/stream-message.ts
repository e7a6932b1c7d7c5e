import type { Json, StreamEvent, StreamGroup, StreamItem, StreamPosition } from '@treadle/api';
import type { HookSubscription } from '../access/hooks.js';
import { joinedFrame, textFrame } from './frame.js';

/*
 * The wire's messages. `subscriptionId` comes last, so that all before it is the same for every client.
 */

/** What a message says beside its place. */
type Body = Readonly<Record<string, unknown>> & { readonly type: string };

/** A message but for its `subscriptionId`. */
function openMessage(
  { stream, groupId }: StreamGroup, at: StreamPosition & { readonly timestamp: number; readonly id?: string | undefined }, event: Body,
): Buffer {
  const message = JSON.stringify({
    type: 'stream', timestamp: at.timestamp, streamName: stream, groupId, id: at.id, epoch: at.epoch, seq: at.seq, event,
  });
  return Buffer.from(`${message.slice(0, -1)},"subscriptionId":`);
}

/** The frame of an open message for one subscription. */
export function frameFor(open: Buffer, subscriptionId: string): Buffer {
  return joinedFrame(open, `${JSON.stringify(subscriptionId)}}`);
}

/** The open message of an event. */
export function eventMessage(event: StreamEvent): Buffer {
  const { id, event: what } = event;
  const body = what.type === 'event' || id === undefined ? what : { type: what.type, data: wireItem(id, what.data) };
  return openMessage(event, event, body);
}

/** The open message with the items as they are: of the group, or the one that is followed. */
export function syncMessage(group: StreamGroup, at: StreamPosition & { readonly timestamp: number }, items: readonly StreamItem[], id?: string): Buffer {
  const data = items.map((item) => wireItem(item.id, item.value));
  const body = { type: 'sync', data: id === undefined ? data : data[0] ?? null, ids: items.map((item) => item.id) };
  return openMessage(group, { ...at, id }, body);
}

/** The frame that refuses a join. */
export function unauthorizedFrame({ subscriptionId, streamName, groupId, id }: HookSubscription, timestamp: number): Buffer {
  const open = openMessage({ stream: streamName, groupId }, { epoch: '', seq: 0, timestamp, id }, { type: 'unauthorized' });
  return frameFor(open, subscriptionId);
}

/** What goes wrong between client and server; `code` is stable. */
export function errorFrame(code: string, message: string, subscriptionId?: string): Buffer {
  return textFrame(JSON.stringify({ type: 'error', code, message, subscriptionId }));
}

/** Clients of the family find an item by its member `id`; an item that is no object has it in `ids` and in the message alone. */
function wireItem(id: string, value: Json): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, id } as Json : value;
}
