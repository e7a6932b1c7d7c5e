import { Beats, type BeatListener, type Clock, type Logger, type ModuleContext, StoreClock, type TreadleError, type Unsubscribe } from '@treadle/api';
import { type Arg, Connection } from './connection.js';
import { isAway, operationError, textOf } from './faults.js';
import { connectedOf, Membership, MEMBER_SCRIPTS } from './membership.js';
import { Notifier } from './notifier.js';
import type { Script } from './script.js';
import { checkServer, refused, type ServerFacts } from './server-checks.js';
import { databaseName, prefixStore, type RedisConfig } from './store.config.js';
import { StoreHealth } from './store-health.js';

const BEAT_MS = 1_000;
/** After a connection was lost. */
const AGAIN_MS = 150;

/** What notices are about. `members`: one has joined or left. */
export type Channel = 'members' | 'subscriptions' | 'due' | 'state' | 'stream' | 'cron';

const CHANNELS: readonly Channel[] = ['members', 'subscriptions', 'due', 'state', 'stream', 'cron'];

interface Surroundings {
  readonly config: RedisConfig;
  readonly clock: Clock;
  readonly log: Logger;
}

type NoticeListener = (text: string, from: number) => void;

/** One engine's use of one prefix of a database: connections, time, membership, notices. */
export class RedisStore {
  readonly database: string;
  readonly time: StoreClock;
  readonly members: Membership;
  private readonly base: string;
  private readonly health: StoreHealth;
  private readonly notifier: Notifier;
  private readonly beats = new Beats((error) => this.troubled(error));
  private readonly noticed = new Map<Channel, Set<NoticeListener>>();
  private readonly scripts = new Set<Script>(MEMBER_SCRIPTS);
  private connection: Connection | undefined;
  private server: ServerFacts = { run: '', weak: [] };
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();
  /** What others told is lost since the last whole beat. */
  private anew = false;
  private closed = false;

  private constructor(private readonly around: Surroundings) {
    const { config, clock, log } = around;
    this.database = databaseName(config);
    this.base = `{${config.prefix}}:`;
    this.time = new StoreClock(clock);
    this.health = new StoreHealth(this.database, log);
    this.notifier = new Notifier((channel, texts) => this.publish(channel, texts));
    this.members = new Membership({ name: prefixStore(config), run: (script, keys, args) => this.run(script, keys, args), connected: (members) => this.connected(members) });
  }

  /** @throws {SERVICE_UNAVAILABLE} */
  static async open(around: Surroundings): Promise<RedisStore> {
    const store = new RedisStore(around);
    try {
      await store.connect();
      await store.join();
      await store.beatOnce(false);
    } catch (error) {
      await store.close();
      throw refused(error instanceof Error ? error.cause ?? error : error, store.database);
    }
    store.health.set(undefined, store.server.weak);
    store.arm(BEAT_MS);
    return store;
  }

  /** Which run of the server the connection goes to: another one after each of its starts. */
  get serverRun(): string {
    return this.server.run;
  }

  /** The name of a key of this store. */
  key(name: string): string {
    return this.base + name;
  }

  /** Scripts that are to be known to the server before they are first run. */
  async register(scripts: readonly Script[]): Promise<void> {
    const fresh = scripts.filter((script) => !this.scripts.has(script));
    for (const script of fresh) this.scripts.add(script);
    await this.connection?.load(fresh);
  }

  /**
   * Runs a script, after those that were asked for before. It finds `keys` in `KEYS`, and what all keys of the store begin with as `base`.
   * @throws an `OperationError`; with `StorageFull` nothing was written, otherwise it is not known
   */
  async run(script: Script, keys: readonly string[], args: readonly Arg[]): Promise<unknown> {
    const { connection } = this;
    try {
      if (!connection) throw new Error('not connected');
      return await connection.run(script, [...keys, this.base], args);
    } catch (error) {
      throw operationError(error, this.database);
    }
  }

  /** Tells other engines, soon, unless this one is alone. What cannot be sent is found by the others' look at the store. */
  notify(channel: Channel, texts: Iterable<string>): void {
    if (this.members.others > 0) this.notifyAll(channel, texts);
  }

  /** As `notify`, also when this engine believes that it is alone: for what is rare. */
  notifyAll(channel: Channel, texts: Iterable<string>): void {
    this.notifier.tell(channel, texts);
  }

  /** Hears what other engines tell: their texts one by one. */
  on(channel: Channel, listener: NoticeListener): Unsubscribe {
    const all = this.noticed.get(channel) ?? new Set();
    this.noticed.set(channel, all.add(listener));
    return () => void all.delete(listener);
  }

  listen(listener: BeatListener): Unsubscribe {
    return this.beats.add(listener);
  }

  /** Says in this instance's health how the store is. */
  use(context: Pick<ModuleContext, 'report'>): Unsubscribe {
    return this.health.use(context);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.health.end();
    clearTimeout(this.timer);
    await this.beating;
    await this.beats.idle();
    if (this.connection?.open) {
      await this.members.leave().catch((error: TreadleError) => this.around.log.warn(`what this engine holds is free in some seconds: ${error.message}`));
      await this.sendNotice('members', ['left']).catch(() => undefined);
    }
    this.connection?.end();
  }

  private async connect(): Promise<void> {
    const { config } = this.around;
    const connection = new Connection(config, (channel, text) => this.heard(channel, text), () => this.lost(connection));
    await connection.connect();
    try {
      this.server = await checkServer(connection, config);
      await connection.load(this.scripts);
      await connection.subscribe(...CHANNELS.map((channel) => this.key(`n:${channel}`)), ...this.ownChannel);
    } catch (error) {
      connection.end();
      throw error;
    }
    this.connection = connection;
  }

  private async join(): Promise<void> {
    await this.members.join();
    await this.connection?.subscribe(...this.ownChannel);
    this.notifyAll('members', ['joined']);
  }

  /** Others see by it that this engine is connected. */
  private get ownChannel(): readonly string[] {
    return this.members.member === 0 ? [] : [this.memberChannel(this.members.member)];
  }

  private memberChannel(member: number): string {
    return this.key(`m:${member}`);
  }

  private async connected(members: readonly number[]): Promise<ReadonlySet<number>> {
    return this.connection ? connectedOf(this.connection, (member) => this.memberChannel(member), members) : new Set();
  }

  /** Not by the engine's clock: whether an engine lives shows in real time, whatever its clock says. */
  private arm(ms: number): void {
    clearTimeout(this.timer);
    if (this.closed) return;
    this.timer = setTimeout(() => {
      this.beating = this.beat().finally(() => this.arm(BEAT_MS));
    }, ms);
    this.timer.unref();
  }

  private async beat(): Promise<void> {
    try {
      if (!this.connection?.open) {
        this.anew = true;
        await this.connect();
      }
      await this.beatOnce(this.anew);
      this.anew = false;
      this.health.set(undefined, this.server.weak);
    } catch (error) {
      this.troubled(error);
    }
  }

  private troubled(error: unknown): void {
    if (isAway(error) || !this.connection?.open) this.health.set(`${this.database} cannot be reached: ${textOf(error)}`, this.server.weak);
    else this.around.log.warn('looking after the store failed', { error: textOf(error) });
  }

  private async beatOnce(anew: boolean): Promise<void> {
    const began = this.around.clock.now();
    const { now, alive } = await this.members.beat(this.server.run);
    this.time.note(began, now);
    if (!alive) await this.joinAgain();
    if (!this.closed) this.beats.beat(anew);
  }

  private async joinAgain(): Promise<void> {
    this.around.log.warn('other engines took this one for gone; it has joined again, and what it had claimed is void');
    await this.join();
  }

  private heard(name: string, payload: string): void {
    const channel = CHANNELS.find((each) => name === this.key(`n:${each}`));
    if (!channel) return;
    const { from, texts } = JSON.parse(payload) as { readonly from: number; readonly texts: readonly string[] };
    if (from === this.members.member) return;
    this.members.others = Math.max(1, this.members.others);
    for (const text of texts) for (const listener of this.noticed.get(channel) ?? []) listener(text, from);
  }

  private publish(channel: string, texts: readonly string[]): void {
    if (this.connection?.open) this.sendNotice(channel, texts).catch(() => undefined);
  }

  private async sendNotice(channel: string, texts: readonly string[]): Promise<void> {
    await this.connection?.ask((client) => client.publish(this.key(`n:${channel}`), JSON.stringify({ from: this.members.member, texts })));
  }

  private lost(connection: Connection): void {
    if (this.closed || connection !== this.connection) return;
    this.health.set(`${this.database} cannot be reached: the connection has ended`, this.server.weak);
    this.arm(AGAIN_MS);
  }
}
