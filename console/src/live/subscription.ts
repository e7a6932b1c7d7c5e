import type { Clock, Unsubscribe } from '@treadle/api';
import type { LiveFrame } from '../contract/index.js';
import { EventBacklog } from '../server/event-backlog.js';
import type { LiveMessage } from './live-message.js';

/** Most events that wait to be sent; the oldest give way. */
export const MAX_WAITING = 2_000;
/** What a frame takes beside its members, at most; bytes. */
const FRAME_BYTES = 512;

/** What waits to be sent to one subscription of a client. */
export class Subscription {
  /** Ends what feeds it. */
  leave: Unsubscribe = () => undefined;
  private seq = 0;
  private snapshot: string | undefined;
  private fault: { readonly code: string; readonly detail: string } | undefined;
  private readonly events: EventBacklog;

  constructor(private readonly id: string, clock: Clock) {
    this.events = new EventBacklog(clock);
  }

  /** Of events that wait. */
  get bytes(): number {
    return this.events.bytes;
  }

  /** Replaces what was not sent yet; with a JSON text. */
  replace(snapshot: string): void {
    [this.snapshot, this.fault] = [snapshot, undefined];
  }

  /** What was sent is not up to date, until it is replaced. */
  stale(fault: { readonly code: string; readonly detail: string }): void {
    this.fault = fault;
  }

  /** @throws {TypeError} for an event that cannot be written as JSON */
  add(event: unknown): void {
    this.events.add(event);
    // In one go for many: taking them off one by one would cost more than all else.
    if (this.events.length >= 2 * MAX_WAITING) this.events.keepEvents(MAX_WAITING);
  }

  /** The oldest events give way until at most so many bytes wait. */
  keepBytes(most: number): void {
    this.events.keepBytes(most);
  }

  /** Adds the frames that the message takes; false: more waits. */
  fill(message: LiveMessage): boolean {
    const { snapshot, fault, events } = this;
    if (snapshot !== undefined && !this.put(message, 'snapshot', `"data":${snapshot}`)) return false;
    this.snapshot = undefined;
    if (fault && !this.put(message, 'stale', JSON.stringify(fault).slice(1, -1))) return false;
    this.fault = undefined;
    events.keepEvents(MAX_WAITING);
    const { gap } = events;
    if (gap && !this.put(message, 'gap', JSON.stringify(gap).slice(1, -1))) return false;
    events.closeGap();
    const texts = events.take(message.room - FRAME_BYTES, message.isEmpty);
    if (texts.length > 0) this.put(message, 'delta', `"events":[${texts.join(',')}]`);
    return events.length === 0;
  }

  private put(message: LiveMessage, type: LiveFrame['type'], members: string): boolean {
    const isAdded = message.add(`{"type":"${type}","id":${JSON.stringify(this.id)},"seq":${this.seq + 1},${members}}`);
    if (isAdded) this.seq += 1;
    return isAdded;
  }
}
