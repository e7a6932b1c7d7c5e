import type { Socket } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';
import { isUnknownScript } from './faults.js';
import type { Script } from './script.js';
import { addressOf, type RedisConfig } from './store.config.js';
import { Watchdog } from './watchdog.js';

/** How long a server may take to be there, and to say something; milliseconds. */
const CONNECT_MS = 2_500;
/** How often one that reads its file still is asked whether it has it; milliseconds. */
const LOADING_MS = 500;
/** How long replicas may take; milliseconds. */
const REPLICAS_MS = 2_000;

export type Arg = string | number | Buffer;

/**
 * Two connections to the server, one for commands and one that hears notices, which live and end together. Neither connects again, keeps commands for later
 * or sends one twice: what was under way when they end fails, and whoever asked decides whether it may be repeated.
 */
export class Connection {
  private readonly commands: Redis;
  private readonly notices: Redis;
  private readonly watchdog = new Watchdog(() => this.end());
  private problem: Error | undefined;
  private ended = false;

  /** @param heard gets what comes on the channels of `subscribe` @param lost called once, when a connection that was open has ended */
  constructor(private readonly config: RedisConfig, heard: (channel: string, text: string) => void, private readonly lost: () => void) {
    const options = optionsOf(config);
    this.commands = new Redis(options);
    this.notices = new Redis(options);
    this.notices.on('message', heard);
    for (const client of [this.commands, this.notices]) {
      client.on('error', (error: Error) => { this.problem = error; });
      client.on('end', () => this.end());
    }
  }

  get open(): boolean {
    return !this.ended && this.commands.status === 'ready' && this.notices.status === 'ready';
  }

  /** @throws the error of the network or of the server; also when that takes the connection and says nothing */
  async connect(): Promise<void> {
    let heard = 0;
    const looking = setInterval(() => {
      if (this.bytesRead === heard) {
        this.problem ??= new Error(`timed out: no answer within ${CONNECT_MS} ms`);
        this.end();
      }
      heard = this.bytesRead;
    }, CONNECT_MS);
    try {
      await Promise.all([this.commands.connect(), this.notices.connect()]);
      await this.commands.select(addressOf(this.config).db); // as an option, a refusal would pass unnoticed
    } catch (error) {
      const { problem = error } = this;
      this.end();
      throw problem;
    } finally {
      clearInterval(looking);
    }
  }

  /** Makes scripts known, so that each call names it only. */
  async load(scripts: Iterable<Script>): Promise<void> {
    await Promise.all([...scripts].map((script) => this.ask((client) => client.script('LOAD', script.lua))));
  }

  async subscribe(...channels: readonly string[]): Promise<void> {
    await this.watchdog.watch(this.notices.subscribe(...channels));
  }

  /** @throws the error of the network or of the server; whether the script was run is not known then, unless the server says so */
  async run(script: Script, keys: readonly string[], args: readonly Arg[]): Promise<unknown> {
    const waits = script.acknowledged && this.config.wait_replicas > 0;
    const replied = this.ask((client) => client.evalsha(script.sha, keys.length, ...keys, ...args));
    const copied = waits ? this.ask((client) => client.wait(this.config.wait_replicas, REPLICAS_MS)) : undefined;
    const [reply, copies] = await Promise.all([
      replied.catch((error: unknown) => {
        if (!isUnknownScript(error)) throw error;
        return this.ask((client) => client.eval(script.lua, keys.length, ...keys, ...args));
      }),
      copied,
    ]);
    if (copies !== undefined && copies < this.config.wait_replicas) throw new Error(`NOREPLICAS ${copies} of ${this.config.wait_replicas} replicas have it`);
    return reply;
  }

  /** Sends one command. @throws as `run` */
  ask<T>(send: (client: Redis) => Promise<T>): Promise<T> {
    if (!this.open) return Promise.reject(this.problem ?? new Error('not connected'));
    return this.watchdog.watch(send(this.commands));
  }

  private get bytesRead(): number {
    return [this.commands, this.notices].reduce((sum, { stream }) => sum + ((stream as Socket | undefined)?.bytesRead ?? 0), 0);
  }

  /** What is under way fails now. */
  end(): void {
    if (this.ended) return;
    this.ended = true;
    this.watchdog.stop();
    this.commands.disconnect();
    this.notices.disconnect();
    this.lost();
  }
}

function optionsOf(config: RedisConfig): Omit<RedisOptions, 'replyMapping'> {
  const { host, port, username, password, tls } = addressOf(config);
  return {
    host, port, ...username !== undefined && { username }, ...password !== undefined && { password },
    ...tls !== 'off' && { tls: { rejectUnauthorized: tls === 'verify', ...!/^[\d.]+$|:/.test(host) && { servername: host } } },
    protocol: 2, lazyConnect: true, retryStrategy: null, enableOfflineQueue: false, autoResendUnfulfilledCommands: false, autoResubscribe: false,
    connectTimeout: CONNECT_MS, maxLoadingRetryTime: LOADING_MS, disconnectTimeout: 50, keepAlive: 10_000, noDelay: true, connectionName: 'treadle', disableClientInfo: true,
  };
}
