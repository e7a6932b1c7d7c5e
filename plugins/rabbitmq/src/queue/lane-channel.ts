import { Batcher, TaskLane } from '@treadle/api';
import type { Channel, ChannelModel, ConsumeMessage, Replies } from 'amqplib';
import { isNotFound } from '../server/faults.js';
import { withinAnswerTime } from '../server/within.js';

/** A queue on the server. */
export interface QueueShape {
  readonly exchange: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What comes on a channel. */
export interface ChannelListener {
  pushed(message: ConsumeMessage): void;
  /** Nothing more comes, and what was pushed goes back: the connection is lost, or the queue was deleted. */
  ended(channel: LaneChannel): void;
}

/** A channel for one queue: what the server pushes on it, and what is acknowledged. Tags are of this channel alone. */
export class LaneChannel {
  /** How many deliveries the server may have pushed that are not acknowledged. */
  credit = 0;
  private readonly consumers: string[] = [];
  private readonly changing = new TaskLane();
  /** What the next consumer gets: so the first one that wants a single delivery needs one question less. */
  private prefetch = 1;
  /** Pushed and not acknowledged, ascending. */
  private readonly tags = new Set<number>();
  private readonly counting: Batcher<undefined, number>;
  private readonly settling: Batcher<undefined, undefined>;
  private open = true;

  private constructor(private readonly channel: Channel, private readonly shape: QueueShape, private readonly listener: ChannelListener) {
    this.counting = new Batcher(new TaskLane(), Infinity, (asked) => this.declare().then((count) => asked.map(() => count)));
    // Of all that it is asked in the order of the channel this is the least for the server.
    this.settling = new Batcher(this.changing, Infinity, (asked) => this.channel.prefetch(this.prefetch).then(() => asked));
    channel.on('error', () => this.end());
    channel.on('close', () => this.end());
  }

  /** With the queue, which is made where there is none. */
  static async open(connection: ChannelModel, shape: QueueShape, listener: ChannelListener): Promise<LaneChannel> {
    const opened = new LaneChannel(await connection.createChannel(), shape, listener);
    await opened.declare();
    await opened.channel.bindQueue(shape.name, shape.exchange, shape.name);
    await opened.channel.prefetch(opened.prefetch);
    // Its end may have come along with the last answer.
    if (!opened.open) throw new Error('the channel was closed');
    return opened;
  }

  /** Whether there is such a queue; makes none. @throws what else the server or the client says */
  static async exists(connection: ChannelModel, name: string): Promise<boolean> {
    const channel = await connection.createChannel();
    // Where there is none the server ends the channel.
    channel.on('error', () => undefined);
    const found = await channel.checkQueue(name).then(() => true, (error: unknown) => {
      if (isNotFound(error)) return false;
      throw error;
    });
    if (found) await channel.close();
    return found;
  }

  /** What was acknowledged before has arrived at the server when it resolves. */
  async settled(): Promise<void> {
    await this.settling.add([undefined]);
  }

  /** How many messages wait on the server. */
  async count(): Promise<number> {
    const first = await this.ready();
    // What is pushed before a question is answered comes at the latest before the next answer.
    return this.credit > 0 ? this.ready() : first;
  }

  /** Nothing waits, and no engine listens: one does as long as it holds something. */
  async isIdle(): Promise<boolean> {
    const { messageCount, consumerCount } = await this.ask();
    return messageCount === 0 && consumerCount === 0;
  }

  /** Has the server push so many more. */
  consume(more: number): Promise<void> {
    this.credit += more;
    // A prefetch is for the consumers that begin after it.
    return this.changing.run(async () => {
      if (more !== this.prefetch) await this.channel.prefetch(more);
      this.prefetch = more;
      const { consumerTag } = await this.channel.consume(this.shape.name, (message) => {
        if (message) this.push(message);
        else this.removed();
      });
      this.consumers.push(consumerTag);
    });
  }

  /** Has it push no more. What it has pushed stays here. */
  cancel(): Promise<void> {
    return this.changing.run(async () => {
      const consumers = this.consumers.splice(0);
      this.credit = 0;
      await Promise.all(consumers.map((tag) => this.channel.cancel(tag)));
    });
  }

  /** Removes deliveries from the queue: in one frame as far as nothing older is left. */
  ack(tags: readonly number[]): void {
    if (!this.open) return;
    const given = tags.filter((tag) => this.tags.delete(tag));
    const [oldest = Infinity] = this.tags;
    const upTo = given.reduce((most, tag) => (tag < oldest && tag > most ? tag : most), 0);
    if (upTo > 0) this.channel.ack(tagged(upTo), true);
    for (const tag of given) if (tag > upTo) this.channel.ack(tagged(tag));
  }

  /** Puts deliveries back at the head of the queue. */
  giveBack(tags: readonly number[]): void {
    for (const tag of tags) {
      if (!this.open || !this.tags.delete(tag)) continue;
      this.channel.nack(tagged(tag), false, true);
    }
  }

  /** Removes what waits on the server and says how many. */
  async purge(): Promise<number> {
    return (await this.channel.purgeQueue(this.shape.name)).messageCount;
  }

  /** Everything that is not acknowledged goes back. */
  async close(): Promise<void> {
    this.open = false;
    await withinAnswerTime(this.channel.close()).catch(() => undefined);
  }

  private push(message: ConsumeMessage): void {
    if (!this.open) return;
    this.tags.add(message.fields.deliveryTag);
    this.listener.pushed(message);
  }

  /** The queue, which ends its consumers and nothing else. */
  private removed(): void {
    if (!this.open) return;
    this.end();
    this.channel.close().catch(() => undefined);
  }

  /** Without a word: for the close of a channel that it has ended, the server ends the whole connection. */
  private end(): void {
    if (!this.open) return;
    this.open = false;
    this.listener.ended(this);
  }

  private async ready(): Promise<number> {
    const [count = 0] = await this.counting.add([undefined]);
    return count;
  }

  private async declare(): Promise<number> {
    return (await this.ask()).messageCount;
  }

  private ask(): Promise<Replies.AssertQueue> {
    const { name, arguments: args } = this.shape;
    return this.channel.assertQueue(name, { durable: true, arguments: args });
  }
}

/** What the client wants of a message to acknowledge it. */
function tagged(deliveryTag: number): ConsumeMessage {
  return { fields: { deliveryTag } } as ConsumeMessage;
}
