import { type Clock, wallTime } from '@treadle/api';

/** Most bytes of events that wait for a client; the oldest give way. */
export const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** What an event takes beside its text, in bytes: many short ones are not for nothing. */
const ENTRY_BYTES = 64;
/** What is left of a bound when it is passed: taking events off one by one would cost more than all else. */
const LEFT = 7 / 8;

/** Events that gave way, and when they came: milliseconds since the epoch. */
export interface EventGap {
  readonly dropped: number;
  readonly from: number;
  readonly to: number;
}

interface Waiting {
  readonly time: number;
  readonly text: string;
  readonly bytes: number;
  /** How many events it stands for. */
  readonly weight: number;
}

/** Events that wait for a client, as JSON texts. Whoever adds bounds it: the oldest give way, and become its gap. */
export class EventBacklog {
  private waiting: Waiting[] = [];
  private size = 0;
  private lost: EventGap | undefined;

  constructor(private readonly clock: Clock) {}

  /** Bytes that wait. */
  get bytes(): number {
    return this.size;
  }

  /** Events that wait. */
  get length(): number {
    return this.waiting.length;
  }

  /** What is left out before the events that wait. */
  get gap(): EventGap | undefined {
    return this.lost;
  }

  /** @throws {TypeError} for an event that cannot be written as JSON */
  add(event: unknown): void {
    const text = JSON.stringify(event) ?? 'null';
    const bytes = Buffer.byteLength(text) + ENTRY_BYTES;
    this.waiting.push({ time: wallTime(this.clock), text, bytes, weight: weightOf(event) });
    this.size += bytes;
  }

  /** Keeps at most so many bytes; an event that is longer gives way, too. */
  keepBytes(most: number): void {
    if (this.size <= most) return;
    let [count, left] = [0, this.size];
    while (left > most || (left > most * LEFT && count < this.waiting.length - 1)) {
      left -= this.waiting[count]?.bytes ?? 0;
      count += 1;
    }
    this.drop(count);
  }

  /** Keeps at most so many events. */
  keepEvents(most: number): void {
    if (this.waiting.length > most) this.drop(this.waiting.length - most);
  }

  /** Takes the oldest texts whose bytes fit into `room`; with `some`, at least one where there are any. */
  take(room: number, some: boolean): readonly string[] {
    let [count, left] = [0, room];
    for (const { bytes } of this.waiting) {
      left -= bytes;
      if (left < 0 && !(some && count === 0)) break;
      count += 1;
    }
    return this.shift(count).map(({ text }) => text);
  }

  /** The gap has been told. */
  closeGap(): void {
    this.lost = undefined;
  }

  private drop(count: number): void {
    const gone = this.shift(count);
    const [first, last] = [gone[0], gone.at(-1)];
    if (!first || !last) return;
    const { dropped = 0, from = first.time } = this.lost ?? {};
    this.lost = { dropped: gone.reduce((sum, { weight }) => sum + weight, dropped), from, to: last.time };
  }

  private shift(count: number): readonly Waiting[] {
    const gone = this.waiting.splice(0, count);
    this.size -= gone.reduce((sum, { bytes }) => sum + bytes, 0);
    return gone;
  }
}

/** A module tells in its own stream of what it left out. */
function weightOf(event: unknown): number {
  return isMark(event) ? event.dropped : 1;
}

function isMark(event: unknown): event is { readonly dropped: number } {
  return typeof event === 'object' && event !== null && 'dropped' in event && typeof event.dropped === 'number' && Object.keys(event).length === 1;
}
