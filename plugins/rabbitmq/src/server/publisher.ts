import { type NewMessage, OperationError } from '@treadle/api';
import type { Channel, ChannelModel, ConfirmChannel, Message } from 'amqplib';
import { decode, encode, PROPERTIES } from '../queue/carried-message.js';
import { type Foreign, putForeign } from '../queue/foreign-messages.js';
import type { QueueShape } from '../queue/lane-channel.js';
import { operationError } from './faults.js';
import { Link, type LinkUser } from './link.js';
import { type RabbitMqConfig, serverName } from './rabbit.config.js';
import { ANSWER_MS } from './within.js';

/** How often it is looked whether confirms stay away; milliseconds. */
const LOOK_MS = 250;

/** A message whose confirm has not come. */
interface Pending {
  readonly id: string;
  readonly since: number;
  returned: boolean;
  readonly resolve: (outcome: 'stored' | 'returned') => void;
  readonly reject: (error: Error) => void;
}

/** Sends messages, each to one queue, on a connection of its own: the server stops reading from one that sends while it is short of memory or space. */
export class Publisher implements LinkUser {
  private link: Link | undefined;
  private connection: ChannelModel | undefined;
  private channel: ConfirmChannel | undefined;
  private words: Channel | undefined;
  private alarm: string | undefined;
  /** In the order in which they were sent. */
  private readonly pending = new Set<Pending>();
  private readonly timer: NodeJS.Timeout;

  /** @param exchange where messages go; routing keys are names of queues. @param told what becomes of the connection */
  constructor(private readonly config: RabbitMqConfig, private readonly exchange: string, private readonly told: () => void) {
    this.timer = setInterval(() => this.look(), LOOK_MS);
    this.timer.unref();
  }

  /** @throws what the first connection fails with */
  async open(): Promise<Link> {
    return this.link = await Link.open(this.config, 'messages out', this);
  }

  /** Why it sends nothing at the moment. */
  get problem(): string | undefined {
    if (this.link && !this.link.connected) return `${serverName(this.config)} cannot be reached: ${this.link.reason}`;
    return this.alarm === undefined ? undefined : `${serverName(this.config)} takes no messages: ${this.alarm}`;
  }

  /**
   * Sends a message. `stored`: the servers of the queue have it on their disks. `returned`: there is no such queue, and it was not stored.
   * @throws {OperationError} StorageFull when nothing was sent because the server takes no messages, StorageUnavailable when it is not known
   * whether the message was stored
   */
  publish(queue: string, message: NewMessage): Promise<'stored' | 'returned'> {
    const { channel, link } = this;
    if (this.alarm !== undefined) return Promise.reject(this.refusal(this.alarm));
    if (!link?.connected) return this.available().then(() => this.publish(queue, message));
    if (!channel) return Promise.reject(this.unreachable('the channel is lost'));
    return new Promise((resolve, reject) => {
      const pending: Pending = { id: message.id, since: performance.now(), returned: false, resolve, reject };
      this.pending.add(pending);
      link.gather();
      try {
        channel.publish(this.exchange, queue, encode(message), PROPERTIES, (error: unknown) => this.confirmed(pending, error));
      } catch (error) {
        this.confirmed(pending, error);
      }
    });
  }

  /** Puts messages of others into a queue; of a rejected call some may be there. @throws {OperationError} as `publish`, and what the server refuses */
  async keepForeign(shape: QueueShape, from: string, messages: readonly Foreign[]): Promise<void> {
    if (this.alarm !== undefined) throw this.refusal(this.alarm);
    await this.available();
    await this.link?.ask(async () => {
      if (!this.connection) throw this.unreachable('the connection is lost');
      await putForeign(this.connection, shape, from, messages);
    });
  }

  /** @throws {OperationError} StorageUnavailable without a connection */
  async available(): Promise<void> {
    if (!this.link) throw this.unreachable('the connection is lost');
    await this.link.available();
  }

  /** Word to all engines; nobody has to hear it. */
  tell(exchange: string, text: string): void {
    if (this.link?.connected && this.alarm === undefined) this.words?.publish(exchange, '', Buffer.from(text));
  }

  async up(connection: ChannelModel): Promise<void> {
    const channel = await connection.createConfirmChannel();
    channel.on('return', (message: Message) => this.returned(decode(message)?.messageId));
    channel.on('error', (error: Error) => this.channelEnded(channel, error));
    channel.on('close', () => this.channelEnded(channel, new Error('the channel was closed')));
    await channel.assertExchange(this.exchange, 'direct', { durable: true });
    const words = await connection.createChannel();
    words.on('error', () => { this.words = undefined; });
    this.words = words;
    this.channel = channel;
    this.connection = connection;
    this.alarm = undefined;
    this.told();
  }

  down(): void {
    this.connection = undefined;
    this.channel = undefined;
    this.words = undefined;
    this.failAll(new Error(this.link?.reason ?? 'the connection is lost'));
    this.told();
  }

  blocked(reason: string | undefined): void {
    this.alarm = reason;
    this.told();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.link?.close();
    this.failAll(new Error('the adapter was closed'));
  }

  /** Before its confirm: no queue has taken it. */
  private returned(id: string | undefined): void {
    for (const sent of this.pending) {
      if (sent.id !== id || sent.returned) continue;
      sent.returned = true;
      return;
    }
  }

  private confirmed(sent: Pending, error: unknown): void {
    if (!this.pending.delete(sent)) return;
    if (error) sent.reject(operationError(error instanceof Error ? error : new Error('the server has refused the message'), serverName(this.config)));
    else sent.resolve(sent.returned ? 'returned' : 'stored');
  }

  private refusal(alarm: string): OperationError {
    return new OperationError('StorageFull', `nothing was stored: ${serverName(this.config)} takes no messages: ${alarm}; free memory or disk space there, or raise its limits`);
  }

  private unreachable(why: string): OperationError {
    return operationError(new Error(why), serverName(this.config));
  }

  /** An error of the channel says what the server does not allow; the connection is made anew. */
  private channelEnded(channel: ConfirmChannel, error: Error): void {
    if (channel !== this.channel) return;
    this.failAll(error);
    this.link?.giveUp(error.message);
  }

  private failAll(error: Error): void {
    const all = [...this.pending];
    this.pending.clear();
    for (const { reject } of all) reject(operationError(error, serverName(this.config)));
  }

  /** Who waits too long is told; what was sent may have been stored. A connection that the server does not read is kept: it reads on when it can. */
  private look(): void {
    const [oldest] = this.pending.values();
    if (!oldest || performance.now() - oldest.since < ANSWER_MS) return;
    if (this.alarm === undefined) this.link?.giveUp(`no confirm within ${ANSWER_MS / 1_000} s`);
    else this.failAll(new Error(`no confirm within ${ANSWER_MS / 1_000} s: it takes no messages: ${this.alarm}`));
  }
}
