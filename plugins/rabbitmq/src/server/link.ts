import type { Duplex, Writable } from 'node:stream';
import { connect, type ChannelModel } from 'amqplib';
import { operationError, textOf } from './faults.js';
import { addressOf, loginOf, type RabbitMqConfig, serverName } from './rabbit.config.js';
import { ANSWER_MS, NoAnswer, withinAnswerTime } from './within.js';

/** Two to three of them without a sign of life and either end gives the connection up; seconds. */
const HEARTBEAT_S = 2;
/** A connection that was lost is there again so soon, unless something is wrong: calls wait for it; milliseconds. */
const GRACE_MS = 1_500;
/** What a large message is cut into; the server's own limit. */
const FRAME_BYTES = 131_072;
/** Of the socket, which the client's types do not tell of: how much may be gathered before it is written. */
const SOCKET: object = { writableHighWaterMark: 1_048_576 };
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Who uses a connection. */
export interface LinkUser {
  /** There is a connection, perhaps again: opens what it needs on it. */
  up(connection: ChannelModel): Promise<void>;
  /** It can be asked. */
  ready?(): void;
  /** What was opened on it is of no use any more. */
  down(): void;
  /** The server takes no messages for a reason of its own, e.g. `low on memory`; undefined: it does again. */
  blocked?(reason: string | undefined): void;
}

/** A connection to the server, which is made again whenever it is lost. */
export class Link {
  private connection: ChannelModel | undefined;
  private ready = false;
  private closed = false;
  private problem = 'not connected yet';
  private lostAt = -Infinity;
  private retry: NodeJS.Timeout | undefined;
  /** Calls that wait for a connection, in their order. */
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly config: RabbitMqConfig, private readonly purpose: string, private readonly user: LinkUser) {}

  /** @throws what the first connection fails with */
  static async open(config: RabbitMqConfig, purpose: string, user: LinkUser): Promise<Link> {
    const link = new Link(config, purpose, user);
    await link.connect().catch((error: unknown) => {
      link.drop();
      throw error;
    });
    return link;
  }

  get connected(): boolean {
    return this.ready;
  }

  /** Why there is none. */
  get reason(): string | undefined {
    return this.ready ? undefined : this.problem;
  }

  /** What the server says of itself. */
  get properties(): Readonly<Record<string, unknown>> {
    return (this.connection?.connection as { readonly serverProperties?: Readonly<Record<string, unknown>> } | undefined)?.serverProperties ?? {};
  }

  /**
   * What the server answers. Without an answer in time the connection is given up, so that nothing of it comes later.
   * @throws {OperationError} StorageUnavailable without a connection or an answer, StorageFailed when it is refused
   */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    await this.available();
    const { connection } = this;
    try {
      return await withinAnswerTime(question());
    } catch (error) {
      // By now there may be another one, which has nothing to do with the question.
      if (error instanceof NoAnswer) this.lost(connection, textOf(error));
      throw operationError(error, serverName(this.config));
    }
  }

  /** Waits for a connection that was lost a moment ago. @throws {OperationError} StorageUnavailable when it is not there again */
  async available(): Promise<void> {
    const left = this.lostAt + GRACE_MS - performance.now();
    if (!this.ready && !this.closed && left > 0) await this.change(left);
    if (!this.ready) throw operationError(new Error(this.problem), serverName(this.config));
  }

  /** Has what is sent in this turn go out in one piece. */
  gather(): void {
    const stream = this.connection && streamOf(this.connection);
    if (stream) gatherWrites(stream);
  }

  /** Ends the connection at once and makes another one. */
  giveUp(problem: string): void {
    this.lost(this.connection, problem);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    const { connection } = this;
    this.ready = false;
    this.goOn();
    if (connection) await withinAnswerTime(connection.close()).catch(() => undefined);
    this.drop();
  }

  private async connect(): Promise<void> {
    const opening = open(this.config, this.purpose);
    const connection = await withinAnswerTime(opening).catch((error: unknown) => {
      opening.then(discard, () => undefined);
      throw error;
    });
    if (this.closed) return discard(connection);
    this.connection = connection;
    connection.on('error', (error: Error) => this.lost(connection, textOf(error)));
    connection.on('close', (error?: Error) => this.lost(connection, error ? textOf(error) : 'the connection was closed'));
    connection.on('blocked', (reason: string) => this.user.blocked?.(reason));
    connection.on('unblocked', () => this.user.blocked?.(undefined));
    await withinAnswerTime(this.user.up(connection));
    if (this.closed) return;
    // It was lost in this moment.
    if (this.connection !== connection) throw new Error(this.problem);
    this.ready = true;
    this.goOn();
    this.user.ready?.();
  }

  private lost(connection: ChannelModel | undefined, problem: string): void {
    if (connection === undefined || connection !== this.connection) return;
    const was = this.ready;
    if (was) this.lostAt = performance.now();
    this.problem = problem;
    this.drop();
    this.user.blocked?.(undefined);
    this.user.down();
    if (was && !this.closed) this.again(FIRST_PAUSE_MS);
  }

  /** Waits until there is a connection, or never will be: for so long at most; milliseconds. */
  private change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.waiting.add(end);
    });
  }

  private goOn(): void {
    for (const end of this.waiting) end();
  }

  private again(pauseMs: number): void {
    if (this.closed) return;
    this.retry = setTimeout(() => {
      this.connect().catch((error: unknown) => {
        this.problem = textOf(error);
        this.drop();
        this.again(Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
      });
    }, pauseMs);
    this.retry.unref();
  }

  /** Without a word to the server, which may not be there. The error has the client reject whatever was asked: it does not notice the end of a socket without one. */
  private drop(): void {
    const { connection } = this;
    this.connection = undefined;
    this.ready = false;
    if (connection) streamOf(connection)?.destroy(new Error(this.problem));
  }
}

/** The socket beneath it. */
function streamOf({ connection }: ChannelModel): Duplex | undefined {
  return (connection as unknown as { readonly stream?: Duplex } | undefined)?.stream;
}

/**
 * What the client is given in this turn is written in one piece. It writes each message by itself, in an immediate that it asks for in the tick after the first one: the
 * end of this has to be asked for later than that.
 */
export function gatherWrites(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => process.nextTick(() => setImmediate(() => stream.uncork())));
}

/** Nobody waits for it any more. */
function discard(connection: ChannelModel): void {
  connection.on('error', () => undefined);
  connection.close().catch(() => undefined);
}

function open(config: RabbitMqConfig, purpose: string): Promise<ChannelModel> {
  const { encrypted, host, port, vhost } = addressOf(config);
  const server = { protocol: encrypted ? 'amqps' : 'amqp', hostname: host, port, vhost, heartbeat: HEARTBEAT_S, frameMax: FRAME_BYTES, ...loginOf(config) };
  return connect(server, {
    ...SOCKET, noDelay: true, timeout: ANSWER_MS, clientProperties: { connection_name: `treadle ${config.name} ${purpose}` },
    ...encrypted && { servername: host, rejectUnauthorized: config.tls === 'verify' },
  });
}
