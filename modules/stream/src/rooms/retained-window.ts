/** An event that is kept for clients that reconnect. */
export interface RetainedEvent {
  readonly seq: number;
  /** Of the item. */
  readonly id: string | undefined;
  /** The message but for its `subscriptionId`. */
  readonly message: Buffer;
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
}

/** Bytes that all windows with this count take, roughly. */
export interface ByteCount {
  bytes: number;
}

/** What an event costs beside its message, in bytes; measured roughly. */
const OVERHEAD = 200;

/** The last events of a group, without a gap. */
export class RetainedWindow {
  /** Every event after this position is here; undefined while no position is known. */
  floor: number | undefined;
  /** Roughly what it takes of memory. */
  bytes = 0;
  private events: RetainedEvent[] = [];
  /** Those before it have been let go of. */
  private start = 0;

  constructor(private maxEvents: number, private readonly all: ByteCount) {}

  /** Most events that are kept. */
  get limit(): number {
    return this.maxEvents;
  }

  get size(): number {
    return this.events.length - this.start;
  }

  push(event: RetainedEvent): void {
    this.floor ??= event.seq - 1;
    this.events.push(event);
    this.count(OVERHEAD + event.message.length);
    while (this.size > this.maxEvents) this.shift();
  }

  /** Keeps at most so many from now on. */
  setMaxEvents(maxEvents: number): void {
    this.maxEvents = maxEvents;
    while (this.size > maxEvents) this.shift();
  }

  /** Lets go of what came before. */
  trim(before: number): void {
    for (let first = this.events[this.start]; first && first.at < before; first = this.events[this.start]) this.shift();
    if (this.size === 0) this.compact();
  }

  /** Lets go of everything; `floor` moves up. */
  clear(floor: number | undefined): void {
    this.events = [];
    this.start = 0;
    this.count(-this.bytes);
    this.floor = floor;
  }

  /** True when no event after `seq` is missing here. */
  covers(seq: number): boolean {
    return this.floor !== undefined && seq >= this.floor;
  }

  /** Events after a position that `covers` holds for. */
  after(seq: number): readonly RetainedEvent[] {
    let [low, high] = [this.start, this.events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.events[middle] as RetainedEvent).seq <= seq) low = middle + 1;
      else high = middle;
    }
    return this.events.slice(low);
  }

  private shift(): void {
    const gone = this.events[this.start] as RetainedEvent;
    this.count(-OVERHEAD - gone.message.length);
    this.floor = gone.seq;
    this.start += 1;
    if (this.start >= 256 && this.start * 2 >= this.events.length) this.compact();
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    this.all.bytes += bytes;
  }

  private compact(): void {
    this.events = this.events.slice(this.start);
    this.start = 0;
  }
}
