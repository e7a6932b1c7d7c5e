import { randomUUID } from 'node:crypto';
import { type Logger, type ModuleContext, type SubscriptionKey } from '@treadle/api';
import type { ChannelModel } from 'amqplib';
import { operationError } from './faults.js';
import { Link, type LinkUser } from './link.js';
import { Publisher } from './publisher.js';
import { type RabbitMqConfig, serverName } from './rabbit.config.js';
import { checkServer, connectFault, deliveryArguments } from './server-checks.js';

/** Word of the same turn, and of those shortly after it, goes together; milliseconds. */
const GATHER_MS = 20;

/** Who is told what happens to the server. */
export interface ServerListener {
  /** The connection that messages come on is there again. */
  up(): void;
  /** Everything that came on it is void. */
  down(): void;
  /** Another engine has sent something to a subscription. */
  due(key: SubscriptionKey): void;
}

interface Surroundings {
  readonly config: RabbitMqConfig;
  readonly log: Logger;
  readonly engine: string;
  readonly report: ModuleContext['report'];
}

/** One engine's use of the server: a connection that messages go out on, one that they come in on, word to other engines, health. */
export class RabbitServer implements LinkUser {
  readonly publisher: Publisher;
  listener: ServerListener | undefined;
  private link: Link | undefined;
  private connection: ChannelModel | undefined;
  private problem: string | undefined;
  private closed = false;
  private words = new Map<string, SubscriptionKey>();
  private speaking: NodeJS.Timeout | undefined;

  private constructor(private readonly around: Surroundings) {
    this.publisher = new Publisher(around.config, this.exchange, () => this.look());
  }

  /** @throws {SERVICE_UNAVAILABLE} when the server cannot be used */
  static async open(around: Surroundings): Promise<RabbitServer> {
    const server = new RabbitServer(around);
    try {
      server.link = await Link.open(around.config, 'messages in', server);
      checkServer(around.config, server.link.properties);
      await server.publisher.open();
      return server;
    } catch (error) {
      await server.close();
      throw connectFault(around.config, error);
    }
  }

  /** Where messages go; names of queues begin with it. */
  get exchange(): string {
    return `treadle.${this.around.config.name}`;
  }

  get isUp(): boolean {
    return this.link?.connected ?? false;
  }

  /** Arguments of the queues. */
  get arguments(): Readonly<Record<string, unknown>> {
    return deliveryArguments(this.link?.properties ?? {});
  }

  /** What the server answers on the connection that messages come in on. @throws {OperationError} */
  ask<T>(question: (connection: ChannelModel) => Promise<T>): Promise<T> {
    const { link } = this;
    const lost = (): Promise<T> => Promise.reject(operationError(new Error(link?.reason ?? 'the connection is lost'), serverName(this.around.config)));
    return link?.ask(() => (this.connection ? question(this.connection) : lost())) ?? lost();
  }

  /** Waits for connections that were lost a moment ago. @throws {OperationError} StorageUnavailable without one of them */
  async reach(): Promise<void> {
    await Promise.all([this.link?.available(), this.publisher.available()]);
  }

  /** Lets other engines know that a subscription has something: those that do not listen to its queue see nothing of it. */
  tell(key: SubscriptionKey): void {
    this.words.set(JSON.stringify([key.step, key.topic]), key);
    this.speaking ??= setTimeout(() => this.speak(), GATHER_MS).unref();
  }

  async up(connection: ChannelModel): Promise<void> {
    const channel = await connection.createChannel();
    channel.on('error', () => undefined);
    await channel.assertExchange(this.exchange, 'direct', { durable: true });
    await channel.assertExchange(this.wordExchange, 'fanout', { durable: true });
    const { queue } = await channel.assertQueue(`${this.wordExchange}.${randomUUID()}`, { exclusive: true, autoDelete: true, durable: false });
    await channel.bindQueue(queue, this.wordExchange, '');
    await channel.consume(queue, (message) => message && this.heard(message.content.toString()), { noAck: true });
    this.connection = connection;
  }

  ready(): void {
    this.look();
    this.listener?.up();
  }

  down(): void {
    this.connection = undefined;
    this.look();
    this.listener?.down();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.speaking);
    await Promise.all([this.publisher.close(), this.link?.close()]);
  }

  private get wordExchange(): string {
    return `${this.exchange}.word`;
  }

  private speak(): void {
    this.speaking = undefined;
    const keys = [...this.words.keys()];
    this.words.clear();
    this.publisher.tell(this.wordExchange, JSON.stringify({ from: this.around.engine, due: keys }));
  }

  /** An error here would end the connection; what others say there is worth nothing. */
  private heard(text: string): void {
    for (const key of dueIn(text, this.around.engine)) this.listener?.due(key);
  }

  /** Says in health how the server is. */
  private look(): void {
    if (this.closed) return;
    const lost = this.link && !this.link.connected ? `${serverName(this.around.config)} cannot be reached: ${this.link.reason}` : undefined;
    const problem = lost ?? this.publisher.problem;
    if (problem === this.problem) return;
    const was = this.problem;
    this.problem = problem;
    if (problem !== undefined) {
      if (was === undefined) this.around.log.error(problem);
      this.around.report('degraded', { message: problem });
    } else {
      this.around.log.info(`${serverName(this.around.config)} is back`);
      this.around.report('ok');
    }
  }
}

/** What an engine tells that others than `self` want to know; empty for word that is not of Treadle. */
export function dueIn(text: string, self: string): readonly SubscriptionKey[] {
  try {
    const { from, due } = JSON.parse(text) as { readonly from: string; readonly due: readonly string[] };
    if (from === self) return [];
    return due.flatMap((key) => {
      const [step, topic] = JSON.parse(key) as readonly unknown[];
      return typeof step === 'string' && typeof topic === 'string' ? [{ step, topic }] : [];
    });
  } catch {
    return [];
  }
}
