import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TransferContext, TreadleError, treadleError } from '@treadle/api';
import { type Arg, Connection } from '../store/connection.js';
import { operationError } from '../store/faults.js';
import { connectedOf, END } from '../store/membership.js';
import { checkServer, refused } from '../store/server-checks.js';
import type { Script } from '../store/script.js';
import { prefixStore, type RedisConfig } from '../store/store.config.js';
import { HOLD, RELEASE, TAKE } from './copy-scripts.js';

/** How long a copy that was killed keeps engines out, and how often one that goes on says so; milliseconds. */
const HELD_MS = 15_000;
const SIGN_MS = 3_000;
/** How long an engine that is not connected may be on its way back; milliseconds. */
const AWAY_MS = 4_000;
const LOOK_MS = 250;

type Members = readonly string[];

/** A prefix of a database that no engine uses, for as long as it is copied. */
export class CopiedPrefix {
  private timer: NodeJS.Timeout | undefined;
  private id = '';

  private constructor(private readonly config: RedisConfig, private readonly connection: Connection, private readonly token: string) {}

  /** The prefix that a config names; the first adapter that asks opens it. @throws as `open` */
  static shared(context: TransferContext, config: RedisConfig): Promise<CopiedPrefix> {
    return context.shared(prefixStore(config), () => CopiedPrefix.open(config), (opened) => opened.close());
  }

  /** @throws {STORE_IN_USE} when engines use it, or another copy; {SERVICE_UNAVAILABLE} */
  private static async open(config: RedisConfig): Promise<CopiedPrefix> {
    const connection = new Connection(config, () => undefined, () => undefined);
    const copied = new CopiedPrefix(config, connection, randomBytes(9).toString('base64url'));
    try {
      await connection.connect();
      await checkServer(connection, config);
      await copied.take();
      return copied;
    } catch (error) {
      connection.end();
      throw refused(error instanceof Error ? error.cause ?? error : error, prefixStore(config));
    }
  }

  /** For people: where it is, and which of those that were there. */
  get name(): string {
    return `${prefixStore(this.config)} (${this.id})`;
  }

  get base(): string {
    return `{${this.config.prefix}}:`;
  }

  /** Sends one command; `key` without what all keys begin with. @throws an `OperationError` when the server is away */
  async ask<T>(command: string, key: string, ...args: readonly Arg[]): Promise<T> {
    try {
      return await this.connection.ask((client) => client.call(command, this.base + key, ...args)) as T;
    } catch (error) {
      throw operationError(error, this.name);
    }
  }

  /** Names of keys that begin so, without that, in one order. */
  async keys(start: string): Promise<readonly string[]> {
    const found = new Set<string>();
    const from = this.base + start;
    for (let cursor = '0', first = true; first || cursor !== '0'; first = false) {
      const page = await this.connection.ask((client) => client.scan(cursor, 'MATCH', `${from}*`, 'COUNT', 1_000));
      cursor = page[0];
      for (const key of page[1]) found.add(key.slice(from.length));
    }
    return [...found].sort();
  }

  /** Runs a script whose first argument is the copy's token. @throws {STORE_FAILED} when others may have used the prefix meanwhile */
  async write(script: Script, args: readonly Arg[]): Promise<void> {
    const reply = await this.run(script, [this.token, ...args]);
    if (reply === 1) return;
    throw new TreadleError('STORE_FAILED', `the hold on ${this.name} that keeps engines out was lost`, 'run the copy again when the server is there: it goes on where it was');
  }

  private async run(script: Script, args: readonly Arg[]): Promise<unknown> {
    try {
      return await this.connection.run(script, [this.base], args);
    } catch (error) {
      throw operationError(error, this.name);
    }
  }

  private async take(): Promise<void> {
    const began = performance.now();
    for (;;) {
      const [taken, id, ...members] = await this.run(TAKE, [this.token, HELD_MS]) as readonly [number, string, ...Members];
      this.id = id;
      if (taken === 1) break;
      await this.judge(members, performance.now() - began > AWAY_MS);
      await sleep(LOOK_MS);
    }
    this.timer = setInterval(() => void this.run(HOLD, [this.token, HELD_MS]).catch(() => undefined), SIGN_MS);
    this.timer.unref();
  }

  /** Engines that are not connected, and stay so, were killed: what they had claimed is free. @throws {STORE_IN_USE} */
  private async judge(members: Members, patienceOver: boolean): Promise<void> {
    const all = members.map(Number);
    const connected = all.length === 0 ? new Set<number>() : await connectedOf(this.connection, (member) => `${this.base}m:${member}`, all);
    const users = all.filter((member) => connected.has(member)).map((member) => `the engine with the number ${member}`);
    if (users.length > 0 || all.length === 0) throw treadleError('STORE_IN_USE', { store: this.name, users: users.join('; ') || 'another copy' });
    if (patienceOver) for (const member of all) await this.run(END, [member]);
  }

  private async close(): Promise<void> {
    clearInterval(this.timer);
    await this.run(RELEASE, [this.token]).catch(() => undefined);
    this.connection.end();
  }
}
