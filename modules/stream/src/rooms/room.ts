import type { Clock, StreamEvent, StreamGroup, StreamItem, StreamPosition } from '@treadle/api';
import { RetainedWindow } from './retained-window.js';
import { eventMessage, frameFor, syncMessage } from './stream-message.js';

/** A client's interest in a group, or in one item of it. */
export interface Subscriber {
  readonly subscriptionId: string;
  readonly id?: string | undefined;
  /** True once it has left. */
  readonly over: boolean;
  /** One message, to be sent with the others of this turn. */
  deliver(frame: Buffer): void;
  /** What a join begins with: as long as the group is, so that it does not count as a queue. */
  catchUp(frames: readonly Buffer[]): void;
  /** Asked for so many bytes before `catchUp` is called with a whole group: what to wait for, when there is no room for them. */
  room?(bytes: number): Promise<void> | undefined;
}

/** What a client knows already. */
export interface ResumePoint {
  readonly epoch: string;
  readonly lastSeq: number;
}

interface Snapshot {
  readonly items: readonly StreamItem[];
  readonly position: StreamPosition;
  /** The message of the whole group, once it was wanted. */
  message?: Buffer;
}

/** Fresh snapshots in a row that were outdated when they came, before a join is given up. */
const TRIES = 5;

/**
 * A group that is followed: its newest position, its last events and who follows it. A subscriber is added in the same
 * turn in which it is given everything up to the position, so it misses nothing and gets nothing twice.
 */
export class Room {
  readonly window: RetainedWindow;
  /** Joins under way. */
  joining = 0;
  /** When the last subscriber left; milliseconds of the monotonic clock. */
  leftAt: number;
  private readonly everything = new Set<Subscriber>();
  private readonly items = new Map<string, Set<Subscriber>>();
  private position: StreamPosition | undefined;
  private snapshot: Snapshot | undefined;
  private fetching: Promise<Snapshot> | undefined;
  private count = 0;

  /** @param stamp no message of the group had a higher `timestamp` */
  // eslint-disable-next-line max-params -- what a group is made of
  constructor(
    readonly group: StreamGroup, private readonly fetch: () => Promise<Snapshot>, private readonly clock: Clock, maxEvents: number,
    private stamp: number,
  ) {
    this.window = new RetainedWindow(maxEvents);
    this.leftAt = clock.monotonic();
  }

  /** Subscribers. */
  get size(): number {
    return this.count;
  }

  /** The highest `timestamp` that a message of the group had. */
  get lastStamp(): number {
    return this.stamp;
  }

  /** An event of the group happened: keeps it and hands it to those who follow it. */
  take(event: StreamEvent): void {
    const { epoch, seq, id } = event;
    if (this.position && this.position.epoch !== epoch) this.window.clear(seq - 1);
    this.position = { epoch, seq };
    this.snapshot = undefined;
    // Clients of the family drop what is not newer than what they have, and several events may happen in a millisecond.
    this.stamp = Math.max(event.timestamp, this.stamp + 1);
    const message = eventMessage({ ...event, timestamp: this.stamp });
    this.window.push({ seq, id, message, at: this.clock.monotonic() });
    const followers = id === undefined ? undefined : this.items.get(id);
    if (this.everything.size === 0 && !followers) return;
    const frames = new Frames(message);
    for (const subscriber of this.everything) subscriber.deliver(frames.of(subscriber));
    if (followers) for (const subscriber of followers) subscriber.deliver(frames.of(subscriber));
  }

  /** Adds a subscriber with what it does not know yet. @throws what reading the group throws */
  async join(subscriber: Subscriber, from: ResumePoint | undefined): Promise<void> {
    this.joining += 1;
    try {
      for (let tries = 0; tries < TRIES; tries += 1) {
        if (subscriber.over || (from && this.resume(subscriber, from))) return;
        // Nothing is kept while it waits: who waits may be many.
        if (subscriber.room) await subscriber.room(await this.lengthFor(subscriber));
        const snapshot = await this.current();
        if (subscriber.over || (from && this.resume(subscriber, from)) || this.begin(subscriber, snapshot)) return;
      }
      throw new Error(`the group changes faster than it can be read (${TRIES} tries)`);
    } finally {
      this.joining -= 1;
    }
  }

  leave(subscriber: Subscriber): void {
    const followers = subscriber.id === undefined ? this.everything : this.items.get(subscriber.id);
    if (!followers?.delete(subscriber)) return;
    this.count -= 1;
    if (subscriber.id !== undefined && followers.size === 0) this.items.delete(subscriber.id);
    if (this.count === 0) this.leftAt = this.clock.monotonic();
  }

  /** Lets go of what can be read again. */
  forgetSnapshot(): void {
    this.snapshot = undefined;
  }

  private resume(subscriber: Subscriber, { epoch, lastSeq }: ResumePoint): boolean {
    const { position } = this;
    if (position?.epoch !== epoch || lastSeq > position.seq || !this.window.covers(lastSeq)) return false;
    subscriber.catchUp(this.framesAfter(lastSeq, subscriber));
    this.add(subscriber);
    return true;
  }

  /** False when events between snapshot and now are not known any more. */
  private begin(subscriber: Subscriber, snapshot: Snapshot): boolean {
    const { seq, epoch } = snapshot.position;
    if (this.position?.epoch !== epoch || !this.window.covers(seq)) return false;
    const sync = frameFor(this.syncFor(subscriber, snapshot), subscriber.subscriptionId);
    subscriber.catchUp([sync, ...this.framesAfter(seq, subscriber)]);
    this.add(subscriber);
    return true;
  }

  private add(subscriber: Subscriber): void {
    const { id } = subscriber;
    const followers = id === undefined ? this.everything : this.items.get(id) ?? new Set<Subscriber>();
    if (id !== undefined) this.items.set(id, followers);
    followers.add(subscriber);
    this.count += 1;
  }

  private framesAfter(seq: number, { id, subscriptionId }: Subscriber): readonly Buffer[] {
    const missed = this.window.after(seq);
    return missed.filter((event) => id === undefined || event.id === id).map(({ message }) => frameFor(message, subscriptionId));
  }

  private async lengthFor(subscriber: Subscriber): Promise<number> {
    return this.syncFor(subscriber, await this.current()).length;
  }

  private syncFor({ id }: Subscriber, snapshot: Snapshot): Buffer {
    this.stamp = Math.max(this.clock.now(), this.stamp);
    const at = { ...snapshot.position, timestamp: this.stamp };
    if (id !== undefined) return syncMessage(this.group, at, snapshot.items.filter((item) => item.id === id), id);
    return snapshot.message ??= syncMessage(this.group, at, snapshot.items);
  }

  /** One that is not outdated: that of the last join, or of a join under way, or a fresh one. */
  private async current(): Promise<Snapshot> {
    const { snapshot, position } = this;
    if (snapshot && snapshot.position.seq === position?.seq && snapshot.position.epoch === position.epoch) return snapshot;
    this.fetching ??= this.fetch().finally(() => {
      this.fetching = undefined;
    });
    const fetched = await this.fetching;
    this.learn(fetched);
    return fetched;
  }

  private learn(fetched: Snapshot): void {
    const { epoch, seq } = fetched.position;
    if (!this.position) {
      this.position = { epoch, seq };
      this.window.floor ??= seq;
    }
    if (this.position.epoch === epoch && this.position.seq === seq) this.snapshot = fetched;
  }
}

/** The frames of one message, each made once. */
class Frames {
  private lastId: string | undefined;
  private last: Buffer | undefined;
  private made: Map<string, Buffer> | undefined;

  constructor(private readonly message: Buffer) {}

  of({ subscriptionId }: Subscriber): Buffer {
    if (this.last && this.lastId === subscriptionId) return this.last;
    const made = this.made ??= new Map();
    let frame = made.get(subscriptionId);
    if (!frame) made.set(subscriptionId, frame = frameFor(this.message, subscriptionId));
    this.lastId = subscriptionId;
    this.last = frame;
    return frame;
  }
}
