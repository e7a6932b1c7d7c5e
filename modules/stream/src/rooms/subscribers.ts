import { frameFor } from './stream-message.js';

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
  /** Some events of the group went missing: it follows it no more, and has to join once more. */
  startOver(): void;
  /** Asked for so many bytes before `catchUp` is called with a whole group: what to wait for, when there is no room for them. */
  room?(bytes: number): Promise<void> | undefined;
}

/** Who follows a group, or items of it. */
export class Subscribers {
  private readonly everything = new Set<Subscriber>();
  private readonly items = new Map<string, Set<Subscriber>>();
  /** Those who know events that were not told here yet, and the last of these. */
  private readonly ahead = new Map<Subscriber, number>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(subscriber: Subscriber): void {
    const { id } = subscriber;
    const followers = id === undefined ? this.everything : this.items.get(id) ?? new Set<Subscriber>();
    if (id !== undefined) this.items.set(id, followers);
    followers.add(subscriber);
    this.count += 1;
  }

  /** One that knows the events up to `seq`, which come here later. */
  addAhead(subscriber: Subscriber, seq: number): void {
    this.ahead.set(subscriber, seq);
    this.count += 1;
  }

  /** False when it was none of them. */
  delete(subscriber: Subscriber): boolean {
    const followers = subscriber.id === undefined ? this.everything : this.items.get(subscriber.id);
    if (!this.ahead.delete(subscriber) && !followers?.delete(subscriber)) return false;
    this.count -= 1;
    if (subscriber.id !== undefined && followers?.size === 0) this.items.delete(subscriber.id);
    return true;
  }

  /** Lets go of all of them. */
  takeAll(): readonly Subscriber[] {
    const all = [...this.everything, ...[...this.items.values()].flatMap((followers) => [...followers]), ...this.ahead.keys()];
    this.everything.clear();
    this.items.clear();
    this.ahead.clear();
    this.count = 0;
    return all;
  }

  /** Hands a message about the group, or about an item, to those who follow it and do not know it. */
  deliver(id: string | undefined, message: Buffer): void {
    const followers = id === undefined ? undefined : this.items.get(id);
    if (this.everything.size === 0 && !followers) return;
    const frames = new Frames(message);
    for (const subscriber of this.everything) subscriber.deliver(frames.of(subscriber));
    if (followers) for (const subscriber of followers) subscriber.deliver(frames.of(subscriber));
  }

  /** Everything up to `seq` was told here. */
  reached(seq: number): void {
    if (this.ahead.size === 0) return;
    for (const [subscriber, known] of this.ahead) {
      if (known > seq) continue;
      this.ahead.delete(subscriber);
      this.count -= 1;
      this.add(subscriber);
    }
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
