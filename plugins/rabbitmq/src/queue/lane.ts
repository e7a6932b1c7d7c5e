import { randomUUID } from 'node:crypto';
import type { DeliveryClaim, QueueDelivery, SubscriptionKey } from '@treadle/api';
import type { ConsumeMessage } from 'amqplib';
import { askedAgain } from '../server/asked-again.js';
import { Arrivals } from './arrivals.js';
import { adopted, type Carried, decode, FRESH } from './carried-message.js';
import { Departures } from './departures.js';
import type { Foreign } from './foreign-messages.js';
import { LaneChannel } from './lane-channel.js';
import type { LaneParts } from './lane-parts.js';
import { Passage } from './passage.js';
import type { Held, Pushed } from './pushed.js';
import { queueName } from './queue-name.js';

/** What was pushed and nobody has asked for goes back after this, so that other engines can have it; milliseconds. */
const IDLE_MS = 2_000;
/** A queue that was removed is made again after this; milliseconds. */
const AGAIN_MS = 250;
/** How long a claim waits for what the server is about to push, and after how long without it the server is asked; milliseconds. */
const PUSH_MS = 1_000;
const QUIET_MS = 10;
/** Deliveries that are on their way into the second store at a time, when all of a queue go there. */
const PORTION = 500;

/** One subscription's queue on the server, as one engine sees it. */
export class Lane {
  readonly name: string;
  /** By the numbers of the deliveries. */
  readonly held = new Map<number, Held>();
  buffer: Pushed[] = [];
  readonly arrivals = new Arrivals();
  /** Calls whose messages go into the queue. */
  readonly sending = new Passage();
  private channel: LaneChannel | undefined;
  private opening: Promise<LaneChannel> | undefined;
  /** The server has no queue of it, and nobody has told of one since it said so. */
  private absent = false;
  /** What epochs of this channel's claims begin with. */
  private mark = '';
  /** What the server has is not known: the channel has just begun to consume, and what it is given first is still on its way. */
  private unsure = false;
  /** How many the engine has had room for at most; consumed again after a loss. */
  private room = 0;
  private readonly departures: Departures<Carried>;
  private readonly foreign: Departures<Foreign>;
  private idle: NodeJS.Timeout | undefined;

  constructor(readonly key: SubscriptionKey, private readonly parts: LaneParts) {
    this.name = queueName(parts.exchange, key);
    const remove = (tags: readonly number[]): void => this.channel?.ack(tags);
    this.departures = new Departures({ adopt: (messages) => parts.adopt(messages.map((message) => adopted(key, message))), remove });
    this.foreign = new Departures({ adopt: (messages) => parts.keepForeign(this.name, messages), remove });
  }

  /** Deliveries that are not settled, as far as this engine knows. */
  get depth(): number {
    return this.arrivals.waiting + this.buffer.length + this.held.size + this.departures.count;
  }

  /** It has been used since the connection was made. */
  get isOpen(): boolean {
    return this.channel !== undefined;
  }

  /** What others enqueue shows here without a word of theirs. */
  get listens(): boolean {
    return (this.channel?.credit ?? 0) > 0;
  }

  /** Whatever comes to the queue shows here: it is pushed, or whoever makes the queue tells of it. */
  get isAttended(): boolean {
    return this.listens || this.absent;
  }

  /** Something was pushed here, or is about to be, that nobody has claimed. */
  get mayHaveMore(): boolean {
    return this.unsure || this.arrivals.known > 0 || this.departures.underWay;
  }

  /** With the queue on the server. @throws {OperationError} */
  open(): Promise<LaneChannel> {
    if (this.channel) return Promise.resolve(this.channel);
    const { exchange, arguments: args } = this.parts;
    return this.opening ??= askedAgain(() => this.parts.ask(async (connection) => {
      const listener = { pushed: (message: ConsumeMessage) => this.pushed(message), ended: (channel: LaneChannel) => this.ended(channel) };
      const opened = await LaneChannel.open(connection, { exchange, name: this.name, arguments: args }, listener);
      this.mark = `r:${randomUUID()}:`;
      this.absent = false;
      return this.channel = opened;
    })).finally(() => { this.opening = undefined; });
  }

  /** How many wait on the server, as it says; what it has pushed here meanwhile has arrived. @throws {OperationError} */
  async count(): Promise<number> {
    const counted = await askedAgain(() => this.open().then((channel) => this.parts.ask(() => channel.count())));
    this.arrivals.counted(counted);
    return counted;
  }

  /** Has deliveries here, as many as asked for where there are so many and the engine may have them. @throws {OperationError} */
  async gather(wanted: number): Promise<void> {
    const room = Math.min(this.parts.prefetch, this.outside + wanted);
    const channel = await this.open();
    this.room = Math.max(this.room, room);
    const more = this.room - channel.credit;
    if (more > 0) {
      this.unsure = true;
      await this.parts.ask(() => channel.consume(more));
    }
    if (this.buffer.length < wanted && this.mayHaveMore) await this.pushesOf(channel, wanted);
    // Without an answer of the second store the claim goes on: that store says so itself.
    await this.departures.over().catch(() => undefined);
  }

  /** Takes deliveries that have been pushed. */
  take(most: number, until: number): QueueDelivery[] {
    const { mark, key: { step, topic } } = this;
    return this.buffer.splice(0, most).map(({ tag, number, message }) => {
      const epoch = mark + number;
      this.held.set(number, { tag, number, message, epoch, until });
      const { messageId, kind, data, headers, traceparent, hops, enqueuedAt, groupId } = message;
      return { step, topic, messageId, kind, data, headers, traceparent, hops, enqueuedAt, groupId, deliveryId: number, epoch, progress: FRESH };
    });
  }

  holds({ deliveryId, epoch }: DeliveryClaim, now: number): boolean {
    const found = this.held.get(deliveryId);
    return found !== undefined && found.epoch === epoch && found.until > now;
  }

  /** Ends the claim here; undefined when it is void. */
  end(claim: DeliveryClaim, now: number): Held | undefined {
    if (!this.holds(claim, now)) return undefined;
    const found = this.held.get(claim.deliveryId);
    this.held.delete(claim.deliveryId);
    return found;
  }

  /** False for a claim that is void. */
  renew(claim: DeliveryClaim, now: number, leaseMs: number): boolean {
    const found = this.held.get(claim.deliveryId);
    if (!found || !this.holds(claim, now)) return false;
    found.until = now + leaseMs;
    return true;
  }

  /** When claims end that nobody renews. */
  leaseEnds(): readonly number[] {
    return [...this.held.values()].map(({ until }) => until);
  }

  /** The claim goes on: what was to become of the delivery has not. */
  restore(held: Held): void {
    if (this.channel && this.isOfChannel(held)) this.held.set(held.number, held);
  }

  /** Removes what has ended from the queue. The server knows of it when it resolves; false: it has given it back already. @throws {OperationError} */
  async remove(ended: readonly Held[]): Promise<boolean> {
    const { channel } = this;
    if (!channel || ended.some((one) => !this.isOfChannel(one))) return false;
    channel.ack(ended.map(({ tag }) => tag));
    await this.parts.ask(() => channel.settled());
    return true;
  }

  /** Claims whose lease is over are void, and what they had goes back. */
  expire(now: number): void {
    const over = [...this.held.values()].filter(({ until }) => until <= now);
    for (const { number } of over) this.held.delete(number);
    this.channel?.giveBack(over.map(({ tag }) => tag));
  }

  /** Has everything in the queue go into the second store, which knows what becomes of it. @throws {OperationError} */
  async drain(): Promise<void> {
    if (!this.channel) {
      this.absent = !await askedAgain(() => this.parts.ask((connection) => LaneChannel.exists(connection, this.name)));
      if (this.absent) return;
    }
    this.departures.add(this.buffer.splice(0));
    do {
      await this.gather(PORTION);
      this.departures.add(this.buffer.splice(0));
      await this.departures.over();
    } while (await this.count() > 0 || this.buffer.length > 0 || this.departures.count > 0);
  }

  /** Listens no more once it is drained. True when no engine has anything of the queue. @throws {OperationError} */
  async leave(): Promise<boolean> {
    const { channel } = this;
    if (!channel) return this.absent;
    if (this.held.size > 0) return false;
    this.room = 0;
    return this.parts.ask(async () => {
      await channel.cancel();
      return channel.isIdle();
    });
  }

  /** Removes what waits, here and on the server, and says how many. What other engines have been pushed stays. @throws {OperationError} */
  async purge(): Promise<number> {
    const channel = await this.open();
    return this.parts.ask(async () => {
      await channel.cancel();
      const here = this.buffer.splice(0);
      channel.ack(here.map(({ tag }) => tag));
      const there = await channel.purge();
      this.arrivals.counted(0);
      if (this.room > 0) await channel.consume(this.room);
      return here.length + there;
    });
  }

  /** After a loss: consumes again what it had room for. */
  async resume(): Promise<void> {
    if (this.room > 0) await this.gather(0);
  }

  /** Another engine has sent something to the queue. */
  told(): void {
    this.absent = false;
  }

  lost(): void {
    this.channel = undefined;
    this.absent = false;
    this.arrivals.lost();
    this.buffer = [];
    this.departures.forget();
    this.foreign.forget();
    this.held.clear();
    clearTimeout(this.idle);
    this.idle = undefined;
  }

  async close(): Promise<void> {
    const { channel } = this;
    this.lost();
    await channel?.close();
  }

  /** Pushed, and not to be had. */
  private get outside(): number {
    return this.held.size + this.departures.count + this.foreign.count;
  }

  private isOfChannel({ epoch }: Held): boolean {
    return epoch.startsWith(this.mark);
  }

  private ended(channel: LaneChannel): void {
    if (this.channel !== channel) return;
    this.lost();
    setTimeout(() => void this.resume().catch(() => undefined), AGAIN_MS).unref();
  }

  private pushed({ fields: { deliveryTag: tag, redelivered }, ...sent }: ConsumeMessage): void {
    const message = decode(sent);
    this.arrivals.came(message?.messageId);
    if (!message) return this.foreign.add([{ tag, message: sent }]);
    const pushed = { tag, number: this.parts.number(), message };
    // The second store knows of what was given back whether it has it already: whoever had it may have died in between.
    if (redelivered || !this.parts.isCarried(this.key)) return this.departures.add([pushed]);
    this.buffer.push(pushed);
    this.idle ??= this.later();
    this.parts.due(this.key);
  }

  private later(): NodeJS.Timeout {
    const first = this.buffer[0];
    return setTimeout(() => {
      this.idle = undefined;
      if (this.buffer.length === 0) return;
      if (this.buffer[0] !== first) this.idle = this.later();
      else this.release().catch(() => undefined);
    }, IDLE_MS).unref();
  }

  /** Nobody here takes what was pushed: it goes back, and no more is pushed before somebody asks. */
  private async release(): Promise<void> {
    const { channel } = this;
    if (!channel) return;
    this.room = 0;
    await this.parts.ask(() => channel.cancel());
    const back = this.buffer.splice(0);
    channel.giveBack(back.map(({ tag }) => tag));
    this.arrivals.counted(this.arrivals.waiting + back.length);
  }

  /** Waits for what the server has to push. It is asked how much that is where this is not known, or does not come. */
  private async pushesOf(channel: LaneChannel, wanted: number): Promise<void> {
    for (const until = performance.now() + PUSH_MS; performance.now() < until; this.unsure = true) {
      const left = this.unsure ? await this.count() : this.arrivals.known;
      this.unsure = false;
      const room = channel.credit - this.buffer.length - this.outside;
      const missing = Math.min(left, room, wanted - this.buffer.length);
      if (missing <= 0 || this.channel !== channel || await this.arrivals.next(missing, QUIET_MS)) return;
    }
  }
}
