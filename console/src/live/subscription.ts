import type { Clock, Unsubscribe } from '@treadle/api';
import { wallTime } from '@treadle/api';
import type { JsonValue, LiveFrame } from '../contract/index.js';

/** Most events that wait to be sent; the oldest give way. */
export const MAX_WAITING = 2_000;

/** What waits to be sent to one subscription of a client. */
export class Subscription {
  /** Ends what feeds it. */
  leave: Unsubscribe = () => undefined;
  private seq = 0;
  private snapshot: { readonly data: unknown } | undefined;
  private events: { readonly time: number; readonly event: unknown }[] = [];
  private lost: { dropped: number; from: number; to: number } | undefined;

  constructor(private readonly id: string, private readonly clock: Clock) {}

  /** Replaces what was not sent yet. */
  replace(data: unknown): void {
    this.snapshot = { data };
  }

  add(event: unknown): void {
    this.events.push({ time: wallTime(this.clock), event });
    // In one go for many: taking them off one by one would cost more than all else.
    if (this.events.length >= 2 * MAX_WAITING) this.makeRoom();
  }

  /** The frames for all that waits, which is nothing then. */
  take(): readonly LiveFrame[] {
    const { id } = this;
    if (this.events.length > MAX_WAITING) this.makeRoom();
    const { snapshot, lost, events } = this;
    [this.snapshot, this.lost, this.events] = [undefined, undefined, []];
    return [
      ...snapshot ? [{ type: 'snapshot' as const, id, seq: this.next(), data: snapshot.data as JsonValue }] : [],
      ...lost ? [{ type: 'gap' as const, id, seq: this.next(), ...lost }] : [],
      ...events.length > 0 ? [{ type: 'delta' as const, id, seq: this.next(), events: events.map(({ event }) => event as JsonValue) }] : [],
    ];
  }

  private next(): number {
    return this.seq += 1;
  }

  private makeRoom(): void {
    const gone = this.events.splice(0, this.events.length - MAX_WAITING);
    const [first, last] = [gone[0], gone.at(-1)];
    if (!first || !last) return;
    const { dropped = 0, from = first.time } = this.lost ?? {};
    this.lost = { dropped: dropped + gone.length, from, to: last.time };
  }
}
