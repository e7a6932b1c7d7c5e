import type { Clock, StreamAdapter, StreamEvent, StreamGroup, StreamItem, StreamPosition } from '@treadle/api';
import type { RetainedWindow } from './retained-window.js';
import { SharedGroup } from './shared-group.js';
import { eventMessage, frameFor, syncMessage } from './stream-message.js';
import { type Subscriber, Subscribers } from './subscribers.js';

/** What a client knows already. */
export interface ResumePoint {
  readonly epoch: string;
  readonly lastSeq: number;
}

/** Where groups and their past are read. */
export type RoomSource = Pick<StreamAdapter, 'snapshot' | 'shared'>;

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
  /** Joins under way. */
  joining = 0;
  /** When the last subscriber left; milliseconds of the monotonic clock. */
  leftAt: number;
  private readonly subscribers = new Subscribers();
  private position: StreamPosition | undefined;
  private snapshot: Snapshot | undefined;
  private fetching: Promise<Snapshot> | undefined;
  private readonly shared: SharedGroup | undefined;

  /** @param stamp no message of the group had a higher `timestamp` */
  // eslint-disable-next-line max-params -- what a group is made of
  constructor(readonly group: StreamGroup, private readonly adapter: RoomSource, private readonly clock: Clock, readonly window: RetainedWindow, private stamp: number) {
    this.leftAt = clock.monotonic();
    this.shared = adapter.shared && new SharedGroup(group, adapter.shared, (epoch) => this.beginAnew(epoch));
  }

  /** Subscribers. */
  get size(): number {
    return this.subscribers.size;
  }

  /** The highest `timestamp` that a message of the group had. */
  get lastStamp(): number {
    return this.stamp;
  }

  /** An event of the group happened: keeps it and hands it to those who follow it. */
  take(event: StreamEvent): void {
    const { epoch, seq, id } = event;
    // Before the group is followed some events are told and others are not.
    if (this.shared && (!this.shared.followed || this.isKnown(event))) return;
    const { position: before } = this;
    this.position = { epoch, seq };
    this.snapshot = undefined;
    if (before && (before.epoch !== epoch || seq > before.seq + 1)) this.startOver(seq - 1);
    // Clients of the family drop what is not newer than what they have, and several events may happen in a millisecond.
    this.stamp = Math.max(event.timestamp, this.stamp + 1);
    const message = eventMessage({ ...event, timestamp: this.stamp });
    this.window.push({ seq, id, message, at: this.clock.monotonic() });
    this.subscribers.deliver(id, message);
    this.subscribers.reached(seq);
  }

  /** Adds a subscriber with what it does not know yet. @throws what reading the group throws */
  async join(subscriber: Subscriber, from: ResumePoint | undefined): Promise<void> {
    this.joining += 1;
    try {
      if (this.shared?.followed === false) await this.shared.follow();
      if (this.shared && from && await this.resumeShared(subscriber, from, this.shared)) return;
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
    if (this.subscribers.delete(subscriber) && this.size === 0) this.leftAt = this.clock.monotonic();
  }

  /** Nobody comes back to it. */
  close(): void {
    this.shared?.leave();
  }

  /** Lets go of what can be read again. */
  forgetSnapshot(): void {
    this.snapshot = undefined;
  }

  private resume(subscriber: Subscriber, { epoch, lastSeq }: ResumePoint): boolean {
    const { position } = this;
    if (position?.epoch !== epoch || lastSeq > position.seq || !this.window.covers(lastSeq)) return false;
    subscriber.catchUp(this.framesAfter(lastSeq, subscriber));
    this.subscribers.add(subscriber);
    return true;
  }

  /** What the own window does not have is asked of the store: the client may come from another engine. True also when the client has left. */
  private async resumeShared(subscriber: Subscriber, from: ResumePoint, shared: SharedGroup): Promise<boolean> {
    if (subscriber.over || this.resume(subscriber, from)) return true;
    const { epoch, lastSeq } = from;
    const { epochs } = shared;
    const missed = await shared.after({ epoch, seq: lastSeq }, this.window.limit);
    if (subscriber.over) return true;
    if (!missed || epochs !== shared.epochs) return false;
    const end = { epoch, seq: missed.at(-1)?.seq ?? lastSeq };
    this.learnPosition(end);
    return this.enter(subscriber, end, this.framesOf(missed, subscriber));
  }

  /** False when events between snapshot and now are not known any more. */
  private begin(subscriber: Subscriber, snapshot: Snapshot): boolean {
    return this.enter(subscriber, snapshot.position, () => [frameFor(this.syncFor(subscriber, snapshot), subscriber.subscriptionId)]);
  }

  /** Adds a subscriber that gets what is known up to a position, and then what happened after it; false when some of that is not known any more. */
  private enter(subscriber: Subscriber, { epoch, seq }: StreamPosition, known: () => readonly Buffer[]): boolean {
    const { position } = this;
    if (position?.epoch !== epoch || !this.window.covers(seq)) return false;
    subscriber.catchUp([...known(), ...this.framesAfter(seq, subscriber)]);
    if (seq > position.seq) this.subscribers.addAhead(subscriber, seq);
    else this.subscribers.add(subscriber);
    return true;
  }

  private framesOf(events: readonly StreamEvent[], { id, subscriptionId }: Subscriber): () => readonly Buffer[] {
    return () => {
      let stamp = 0;
      const stamped = events.map((event) => ({ ...event, timestamp: stamp = Math.max(event.timestamp, stamp + 1) }));
      this.stamp = Math.max(this.stamp, stamp);
      return stamped.filter((event) => id === undefined || event.id === id).map((event) => frameFor(eventMessage(event), subscriptionId));
    };
  }

  private framesAfter(seq: number, { id, subscriptionId }: Subscriber): readonly Buffer[] {
    const missed = this.window.after(seq);
    return missed.filter((event) => id === undefined || event.id === id).map(({ message }) => frameFor(message, subscriptionId));
  }

  private async lengthFor(subscriber: Subscriber): Promise<number> {
    return this.syncFor(subscriber, await this.current()).length;
  }

  private syncFor({ id }: Subscriber, snapshot: Snapshot): Buffer {
    this.stamp = Math.max(this.adapter.shared?.now?.() ?? this.clock.now(), this.stamp);
    const at = { ...snapshot.position, timestamp: this.stamp };
    if (id !== undefined) return syncMessage(this.group, at, snapshot.items.filter((item) => item.id === id), id);
    return snapshot.message ??= syncMessage(this.group, at, snapshot.items);
  }

  /** One that is not outdated: that of the last join, or of a join under way, or a fresh one. */
  private async current(): Promise<Snapshot> {
    const { snapshot, position } = this;
    if (snapshot && snapshot.position.seq === position?.seq && snapshot.position.epoch === position.epoch) return snapshot;
    return this.fetching ??= this.fetch().finally(() => {
      this.fetching = undefined;
    });
  }

  /** Reads again when another epoch was told meanwhile: what came may be the state of the old one. */
  private async fetch(): Promise<Snapshot> {
    for (;;) {
      const { position: before, shared } = this;
      const epochs = shared?.epochs;
      const fetched = await this.adapter.snapshot(this.group);
      if (epochs !== shared?.epochs) continue;
      this.learn(fetched, before);
      return fetched;
    }
  }

  /** What was told does not lead to what is told now: the store has lost events, or let go of them before this engine could read them. */
  private startOver(floor: number | undefined): void {
    this.window.clear(floor);
    this.leftAt = this.clock.monotonic();
    for (const subscriber of this.subscribers.takeAll()) subscriber.startOver();
  }

  /** The store goes on in another epoch, and may have lost some of what was told; where it is by now, the next join reads. */
  private beginAnew(epoch: string): void {
    if (!this.position || this.position.epoch === epoch) return;
    this.position = undefined;
    this.snapshot = undefined;
    this.startOver(undefined);
  }

  /** @param before the position when it was asked for: where no event has come since, another epoch is the newer one */
  private learn(fetched: Snapshot, before: StreamPosition | undefined): void {
    const { epoch, seq } = fetched.position;
    const anew = before !== undefined && this.position === before && before.epoch !== epoch;
    if (anew) this.position = { epoch, seq };
    else this.learnPosition(fetched.position);
    if (this.position?.epoch === epoch && this.position.seq === seq) this.snapshot = fetched;
    if (anew) this.startOver(seq);
  }

  private learnPosition({ epoch, seq }: StreamPosition): void {
    if (this.position) return;
    this.position = { epoch, seq };
    this.window.floor ??= seq;
  }

  private isKnown({ epoch, seq }: StreamPosition): boolean {
    return this.position?.epoch === epoch && seq <= this.position.seq;
  }
}
