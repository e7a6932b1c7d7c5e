import type { Clock, Unsubscribe } from '@treadle/api';
import { wallTime } from '@treadle/api';
import type { LiveFrame } from '../contract/index.js';

/** Most events that wait to be sent; the oldest give way. */
export const MAX_WAITING = 2_000;

/** What waits to be sent to one subscription of a client. */
export class Subscription {
  /** Ends what feeds it. */
  leave: Unsubscribe = () => undefined;
  private seq = 0;
  private snapshot: string | undefined;
  private fault: { readonly code: string; readonly detail: string } | undefined;
  private events: { readonly time: number; readonly event: unknown }[] = [];
  private lost: { dropped: number; from: number; to: number } | undefined;

  constructor(private readonly id: string, private readonly clock: Clock) {}

  /** Replaces what was not sent yet; with a JSON text. */
  replace(snapshot: string): void {
    [this.snapshot, this.fault] = [snapshot, undefined];
  }

  /** What was sent is not up to date, until it is replaced. */
  stale(fault: { readonly code: string; readonly detail: string }): void {
    this.fault = fault;
  }

  add(event: unknown): void {
    this.events.push({ time: wallTime(this.clock), event });
    // In one go for many: taking them off one by one would cost more than all else.
    if (this.events.length >= 2 * MAX_WAITING) this.makeRoom();
  }

  /** The frames for all that waits, as JSON texts; nothing waits then. */
  take(): readonly string[] {
    if (this.events.length > MAX_WAITING) this.makeRoom();
    const { snapshot, fault, lost, events } = this;
    [this.snapshot, this.fault, this.lost, this.events] = [undefined, undefined, undefined, []];
    return [
      ...snapshot === undefined ? [] : [this.frame('snapshot', `"data":${snapshot}`)],
      ...fault ? [this.frame('stale', JSON.stringify(fault).slice(1, -1))] : [],
      ...lost ? [this.frame('gap', JSON.stringify(lost).slice(1, -1))] : [],
      ...events.length > 0 ? [this.frame('delta', `"events":${JSON.stringify(events.map(({ event }) => event))}`)] : [],
    ];
  }

  private frame(type: LiveFrame['type'], members: string): string {
    this.seq += 1;
    return `{"type":"${type}","id":${JSON.stringify(this.id)},"seq":${this.seq},${members}}`;
  }

  private makeRoom(): void {
    const gone = this.events.splice(0, this.events.length - MAX_WAITING);
    const [first, last] = [gone[0], gone.at(-1)];
    if (!first || !last) return;
    const { dropped = 0, from = first.time } = this.lost ?? {};
    this.lost = { dropped: gone.reduce((sum, { event }) => sum + weightOf(event), dropped), from, to: last.time };
  }
}

/** How many events it stands for: a module tells in its own stream of what it left out. */
function weightOf(event: unknown): number {
  return isMark(event) ? event.dropped : 1;
}

function isMark(event: unknown): event is { readonly dropped: number } {
  return typeof event === 'object' && event !== null && 'dropped' in event && typeof event.dropped === 'number' && Object.keys(event).length === 1;
}
