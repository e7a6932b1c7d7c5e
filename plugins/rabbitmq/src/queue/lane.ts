import { randomUUID } from 'node:crypto';
import type { AdoptedDelivery, DeliveryClaim, QueueDelivery, SubscriptionKey } from '@treadle/api';
import type { ChannelModel, ConsumeMessage } from 'amqplib';
import { pause } from '../server/within.js';
import { adopted, decode, FRESH } from './carried-message.js';
import { Departures } from './departures.js';
import { LaneChannel } from './lane-channel.js';
import type { Held, Pushed } from './pushed.js';
import { queueName } from './queue-name.js';

/** What was pushed and nobody has asked for goes back after this, so that other engines can have it; milliseconds. */
const IDLE_MS = 2_000;
/** A queue that was removed is made again after this; milliseconds. */
const AGAIN_MS = 250;
/** How long a claim waits for what the server is about to push, and how often it looks; milliseconds. */
const PUSH_MS = 1_000;
const LOOK_MS = 5;
/** Deliveries that are on their way into the second store at a time, when all of a queue go there. */
const PORTION = 500;

/** What lanes have in common. */
export interface LaneParts {
  readonly exchange: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly prefetch: number;
  /** The next number of a delivery. */
  number(): number;
  /** Runs what needs the connection. @throws {OperationError} */
  ask<T>(question: (connection: ChannelModel) => Promise<T>): Promise<T>;
  /** Into the second store. */
  adopt(deliveries: readonly AdoptedDelivery[]): Promise<unknown>;
  /** The server may hand this subscription's deliveries out; else they go into the second store. */
  isCarried(key: SubscriptionKey): boolean;
  due(key: SubscriptionKey): void;
}

/** One subscription's queue on the server, as one engine sees it. */
export class Lane {
  readonly name: string;
  readonly held = new Map<string, Held>();
  buffer: Pushed[] = [];
  private channel: LaneChannel | undefined;
  private opening: Promise<LaneChannel> | undefined;
  /** Of this channel's claims. */
  private mark = '';
  /** About how many messages wait on the server. */
  private waiting = 0;
  /** The channel has just begun to consume: what it is given first is still on its way. */
  private beginning = false;
  /** How many the engine has had room for at most; consumed again after a loss. */
  private room = 0;
  private readonly departures: Departures;
  private idle: NodeJS.Timeout | undefined;

  constructor(readonly key: SubscriptionKey, private readonly parts: LaneParts) {
    this.name = queueName(parts.exchange, key);
    this.departures = new Departures({
      adopt: (messages) => parts.adopt(messages.map((message) => adopted(key, message))), remove: (tags) => this.channel?.ack(tags),
    });
  }

  /** Deliveries that are not settled, as far as this engine knows. */
  get depth(): number {
    return this.waiting + this.buffer.length + this.held.size + this.departures.count;
  }

  /** It has been used since the connection was made. */
  get isOpen(): boolean {
    return this.channel !== undefined;
  }

  /** What others enqueue shows here without a word of theirs. */
  get listens(): boolean {
    return (this.channel?.credit ?? 0) > 0;
  }

  /** Something was pushed here, or is about to be, that nobody has claimed. */
  get mayHaveMore(): boolean {
    return this.beginning || this.waiting > 0 || this.departures.underWay;
  }

  /** With the queue on the server. @throws {OperationError} */
  open(): Promise<LaneChannel> {
    if (this.channel) return Promise.resolve(this.channel);
    const { exchange, arguments: args } = this.parts;
    return this.opening ??= this.parts.ask(async (connection) => {
      const listener = { pushed: (message: ConsumeMessage) => this.pushed(message), ended: (channel: LaneChannel) => this.ended(channel) };
      const opened = await LaneChannel.open(connection, { exchange, name: this.name, arguments: args }, listener);
      this.mark = randomUUID();
      return this.channel = opened;
    }).finally(() => { this.opening = undefined; });
  }

  /** A message of this engine is on its way to the queue. */
  sent(): void {
    this.waiting += 1;
  }

  /** How many wait on the server, as it says; what it has pushed here meanwhile has arrived. @throws {OperationError} */
  async count(): Promise<number> {
    const channel = await this.open();
    // What is pushed before a question is answered comes at the latest before the next answer.
    const counted = await this.parts.ask(async () => {
      const first = await channel.count();
      return channel.credit > 0 ? channel.count() : first;
    });
    this.waiting = counted;
    return counted;
  }

  /** Has deliveries here, as many as asked for where there are so many and the engine may have them. @throws {OperationError} */
  async gather(wanted: number): Promise<void> {
    const outside = this.held.size + this.departures.count;
    const room = Math.min(this.parts.prefetch, outside + wanted);
    const channel = await this.open();
    this.room = Math.max(this.room, room);
    const more = this.room - channel.credit;
    if (more > 0) {
      this.beginning = true;
      await this.parts.ask(() => channel.consume(more));
    }
    if (this.buffer.length < wanted && this.mayHaveMore) await this.pushesOf(channel, wanted);
    // Without an answer of the second store the claim goes on: that store says so itself.
    await this.departures.over().catch(() => undefined);
  }

  /** Takes deliveries that have been pushed. */
  take(most: number, until: number): QueueDelivery[] {
    const taken = this.buffer.splice(0, most);
    return taken.map((pushed) => {
      const epoch = `r:${this.mark}:${pushed.number}`;
      this.held.set(epoch, { ...pushed, epoch, until });
      return { ...this.key, ...pushed.message, deliveryId: pushed.number, epoch, progress: FRESH };
    });
  }

  holds({ deliveryId, epoch }: DeliveryClaim, now: number): boolean {
    const found = this.held.get(epoch);
    return found !== undefined && found.number === deliveryId && found.until > now;
  }

  /** Ends the claim here; undefined when it is void. */
  end(claim: DeliveryClaim, now: number): Held | undefined {
    if (!this.holds(claim, now)) return undefined;
    const found = this.held.get(claim.epoch);
    this.held.delete(claim.epoch);
    return found;
  }

  /** False for a claim that is void. */
  renew(claim: DeliveryClaim, now: number, leaseMs: number): boolean {
    const found = this.held.get(claim.epoch);
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
    if (this.channel && this.isOfChannel(held)) this.held.set(held.epoch, held);
  }

  /** Removes what has ended from the queue. The server knows of it when it resolves; false: it has given it back already. @throws {OperationError} */
  async remove(ended: readonly Held[]): Promise<boolean> {
    const { channel } = this;
    if (!channel || ended.some((one) => !this.isOfChannel(one))) return false;
    channel.ack(ended.map(({ tag }) => tag));
    this.waiting = await this.parts.ask(() => channel.count());
    return true;
  }

  /** Claims whose lease is over are void, and what they had goes back. */
  expire(now: number): void {
    const over = [...this.held.values()].filter(({ until }) => until <= now);
    for (const { epoch } of over) this.held.delete(epoch);
    this.channel?.giveBack(over.map(({ tag }) => tag));
  }

  /** Has everything in the queue go into the second store, which knows what becomes of it. @throws {OperationError} */
  async drain(): Promise<void> {
    if (!this.channel && !await this.parts.ask((connection) => LaneChannel.exists(connection, this.name))) return;
    this.departures.add(this.buffer.splice(0));
    do {
      await this.gather(PORTION);
      this.departures.add(this.buffer.splice(0));
      await this.departures.over();
    } while (await this.count() > 0 || this.departures.count > 0);
  }

  /** Listens no more once it is drained. True when no engine has anything of the queue. @throws {OperationError} */
  async leave(): Promise<boolean> {
    const { channel } = this;
    if (!channel) return true;
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
      this.waiting = 0;
      if (this.room > 0) await channel.consume(this.room);
      return here.length + there;
    });
  }

  /** After a loss: consumes again what it had room for. */
  async resume(): Promise<void> {
    if (this.room > 0) await this.gather(0);
  }

  lost(): void {
    this.channel = undefined;
    this.buffer = [];
    this.departures.forget();
    this.held.clear();
    clearTimeout(this.idle);
    this.idle = undefined;
  }

  async close(): Promise<void> {
    const { channel } = this;
    this.lost();
    await channel?.close();
  }

  private isOfChannel({ epoch }: Held): boolean {
    return epoch.startsWith(`r:${this.mark}:`);
  }

  private ended(channel: LaneChannel): void {
    if (this.channel !== channel) return;
    this.lost();
    setTimeout(() => void this.resume().catch(() => undefined), AGAIN_MS).unref();
  }

  private pushed({ fields: { deliveryTag: tag, redelivered }, ...sent }: ConsumeMessage): void {
    this.waiting = Math.max(0, this.waiting - 1);
    const message = decode(sent);
    if (!message) return this.channel?.ack([tag]);
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
    this.waiting += back.length;
  }

  /** Waits for what the server has to push. */
  private async pushesOf(channel: LaneChannel, wanted: number): Promise<void> {
    for (const until = Date.now() + PUSH_MS; Date.now() < until;) {
      const left = await this.count();
      this.beginning = false;
      const outside = this.buffer.length + this.held.size + this.departures.count;
      if (left === 0 || this.buffer.length >= wanted || outside >= channel.credit || this.channel !== channel) return;
      await pause(LOOK_MS);
    }
  }
}
