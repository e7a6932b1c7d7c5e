import type { Group } from './application.js';

/** An event as the application published it. */
export interface PublishedEvent {
  readonly group: Group;
  readonly seq: number;
  /** When the handler handed it over; milliseconds since 1970. */
  readonly at: number;
  readonly last: boolean;
}

/** A message that no other reader got before, or one that is not what they got. */
export interface ReadMessage extends PublishedEvent {
  readonly type: string;
  readonly differs: boolean;
}

interface Known extends PublishedEvent {
  readonly payload: Buffer;
}

/** Members of a message that matter here. */
interface Message {
  readonly groupId: Group;
  readonly seq: number;
  readonly event: { readonly type: string; readonly data?: Content; readonly event?: { readonly data: Content } };
}
interface Content { readonly at: number; readonly last?: boolean }

/**
 * The messages of a stream as the first reader got them. Readers use the same subscription ids, so that all have to get
 * the same bytes: those of one are parsed, the others' only compared, and so every message of every reader is checked as a whole.
 */
export class Expected {
  private readonly known = new Map<string, Known>();

  /** The event that follows a position, if these are its bytes. */
  next(group: Group, seq: number | undefined, payload: Buffer): PublishedEvent | undefined {
    const event = seq === undefined ? undefined : this.known.get(`${group} ${seq + 1}`);
    return event?.payload.equals(payload) ? event : undefined;
  }

  read(payload: Buffer): ReadMessage {
    const { groupId: group, seq, event: { type, data, event } } = JSON.parse(payload.toString()) as Message;
    const content = data ?? event?.data;
    const read = { group, seq, type, at: content?.at ?? NaN, last: content?.last === true };
    if (type === 'sync') return { ...read, differs: false };
    const place = `${group} ${seq}`;
    const differs = this.known.has(place);
    if (!differs) this.known.set(place, { ...read, payload: Buffer.from(payload) });
    return { ...read, differs };
  }
}
