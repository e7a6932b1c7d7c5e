import { readFile } from 'node:fs/promises';
import { jetstream, type JetStreamClient, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, credsAuthenticator, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { Unsubscribe } from '@treadle/api';
import { isLate, NotSentError, operationError } from './faults.js';
import { addressesOf, type NatsConfig, serverName } from './store.config.js';

/** How long the server may take to answer; milliseconds. */
const ANSWER_MS = 3_000;
const RECONNECT_MS = 300;
const PING_MS = 2_000;

/** One engine's connection to the servers. It connects again by itself, as often as it has to. */
export class Link {
  readonly server: string;
  connected = true;
  /** Something was not answered in time, nor a ping since then. */
  private silent = false;
  private readonly lost = new Set<() => void>();

  private constructor(
    readonly connection: NatsConnection, readonly js: JetStreamClient, readonly jsm: JetStreamManager, config: NatsConfig,
  ) {
    this.server = serverName(config);
  }

  /** @throws the client's error */
  static async open(config: NatsConfig): Promise<Link> {
    const connection = await connect(await optionsOf(config));
    try {
      const jsm = await jetstreamManager(connection, { timeout: ANSWER_MS, checkAPI: false });
      return new Link(connection, jetstream(connection, { timeout: ANSWER_MS }), jsm, config);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Why nothing is asked now; undefined while it can be. */
  get unreachable(): string | undefined {
    if (!this.connected) return `${this.server} cannot be reached: the connection is lost`;
    return this.silent ? `${this.server} cannot be reached: it does not answer` : undefined;
  }

  /** Calls `changed` whenever the connection is lost or is there again. */
  async follow(changed: () => void): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === 'staleConnection') endStale(this.connection);
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      this.connected = type === 'reconnect';
      if (!this.connected) for (const end of this.lost) end();
      changed();
    }
  }

  /** Calls `end` when the connection is lost; at once where it is. */
  onLost(end: () => void): Unsubscribe {
    this.lost.add(end);
    if (!this.connected) end();
    return () => void this.lost.delete(end);
  }

  /** Runs what asks the server; nothing while it is silent, else each of those who ask one after the other would wait. @throws an `OperationError`; with `StorageFull` nothing was written, otherwise it is not known */
  async ask<T>(work: () => Promise<T>): Promise<T> {
    const { unreachable } = this;
    if (unreachable !== undefined) throw new NotSentError(unreachable);
    try {
      return await work();
    } catch (error) {
      if (isLate(error)) this.ping();
      throw operationError(error, this.server);
    }
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  /** It is silent until it answers, or its connection ends. */
  private ping(): void {
    if (this.silent) return;
    this.silent = true;
    void this.connection.rtt().catch(() => undefined).finally(() => { this.silent = false; });
  }
}

/** The client sends what it has before it ends a connection. On one that has gone stale that may take as long as TCP tries, and it connects again only then. */
function endStale(connection: NatsConnection): void {
  const { protocol } = connection as unknown as { readonly protocol?: { readonly transport?: { close?(): Promise<void> } } };
  void protocol?.transport?.close?.();
}

async function optionsOf(config: NatsConfig): Promise<NodeConnectionOptions> {
  const { user, password, token, creds_file, url } = config;
  const given = URL.canParse(url.split(',')[0] ?? '') ? new URL(url.split(',')[0] ?? '') : undefined;
  const name = user ?? (given?.username ? decodeURIComponent(given.username) : undefined);
  const pass = password ?? (given?.password ? decodeURIComponent(given.password) : undefined);
  return {
    servers: [...addressesOf(config)], name: `treadle ${config.name}`, noEcho: true, maxReconnectAttempts: -1, reconnectTimeWait: RECONNECT_MS,
    // A password is changed at the servers and at the engines, one after the other.
    ignoreAuthErrorAbort: true,
    timeout: ANSWER_MS, pingInterval: PING_MS, maxPingOut: 2,
    ...name !== undefined && { user: name }, ...pass !== undefined && { pass }, ...token !== undefined && { token },
    ...creds_file !== undefined && { authenticator: credsAuthenticator(await readFile(creds_file)) },
    ...url.startsWith('tls://') && { tls: {} },
  };
}
