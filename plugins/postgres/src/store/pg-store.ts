import { BeatTask, type Clock, type Logger, type ModuleContext, StoreClock, type Unsubscribe } from '@treadle/api';
import { enterStore } from '../transfer/copy-schema.js';
import { Connections } from './connections.js';
import { isAway, textOf } from './faults.js';
import { type Gone, Membership } from './membership.js';
import { migrate } from './migrations.js';
import { Notifier } from './notifier.js';
import { MIGRATIONS } from './schema.js';
import { checkServer, type Weaknesses } from './server-checks.js';
import { type Notice, Session } from './session.js';
import { databaseName, type PostgresConfig } from './store.config.js';

const BEAT_MS = 1_000;
/** Kind of the notice of a new member. */
const JOINED = 'j';

/** Who wants to know what happens to the store. */
export interface StoreListener {
  /** Another engine has told something. */
  notice?(notice: Notice): void;
  /** About each second, while the server answers, and not before the last one has ended. `anew`: what was told meanwhile is lost. */
  beat?(anew: boolean): Promise<void>;
}

interface Surroundings {
  readonly config: PostgresConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly engine: string;
}

/** One engine's use of one schema: connections, time, membership, notifications. */
export class PgStore {
  readonly time: StoreClock;
  readonly connections: Connections;
  readonly members: Membership;
  readonly notifier: Notifier;
  private readonly session: Session;
  private readonly listeners = new Map<StoreListener, BeatTask>();
  private readonly burial = new BeatTask(async () => void await this.members.bury(this.gone));
  private readonly users = new Set<Pick<ModuleContext, 'report'>>();
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();
  /** What the beats have begun. */
  private beside: Promise<void> = Promise.resolve();
  private gone: Gone = [];
  private weak: Weaknesses = [];
  private problem: string | undefined;
  /** What others told is lost since the last beat. */
  private anew = false;
  private closing = false;
  private closed = false;

  private constructor(private readonly around: Surroundings) {
    const { config, clock, engine } = around;
    const channel = `treadle_${config.schema}`;
    this.time = new StoreClock(clock);
    this.connections = new Connections(config, (error) => this.failed(error));
    this.session = new Session(this.connections, channel, (notice) => this.heard(notice));
    this.members = new Membership(this.session, this.connections, engine);
    this.notifier = new Notifier(this.session, channel, () => this.members.member, () => this.members.others === 0);
  }

  /** @throws {SERVICE_UNAVAILABLE}, {STORE_NEWER}, {STORE_IN_USE} while it is copied, {COPY_UNFINISHED} */
  static async open(around: Surroundings): Promise<PgStore> {
    const store = new PgStore(around);
    try {
      await store.begin();
    } catch (error) {
      await store.close();
      throw error;
    }
    return store;
  }

  listen(listener: StoreListener): Unsubscribe {
    this.listeners.set(listener, new BeatTask(async (anew) => listener.beat?.(anew)));
    return () => void this.listeners.delete(listener);
  }

  /** Says in this instance's health how the store is. */
  use(context: Pick<ModuleContext, 'report'>): Unsubscribe {
    this.users.add(context);
    if (this.state) context.report('degraded', { message: this.state });
    return () => void this.users.delete(context);
  }

  /** Watches the server until nothing waits for it any more: what it does not answer fails then as well. */
  async close(): Promise<void> {
    this.closing = true;
    await this.beside;
    await this.connections.close();
    this.closed = true;
    clearTimeout(this.timer);
    await this.beating;
    await this.members.leave().catch((error: Error) => this.around.log.warn(`what this engine holds is free in some seconds: ${error.message}`));
    await this.session.close();
  }

  private async begin(): Promise<void> {
    const { config } = this.around;
    const client = this.connections.client();
    try {
      this.weak = await checkServer(client, databaseName(config), config.durability === 'strict');
      await migrate(this.connections, config.schema, MIGRATIONS);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    await this.session.begin(client);
    await enterStore(this.session, `${databaseName(config)}, schema ${config.schema}`);
    await this.time.measure(async () => Number((await this.session.rows('SELECT store_time() AS now'))[0]?.['now']));
    await this.members.join();
    this.notifier.tellAll(JOINED, ['']);
    await this.pulse();
    await this.members.bury(this.gone);
    this.tellHealth();
    this.arm();
  }

  /** Not by the engine's clock: whether an engine lives shows in real time, whatever its clock says. */
  private arm(): void {
    if (this.closed) return;
    this.timer = setTimeout(() => {
      this.beating = this.beat().finally(() => this.arm());
    }, BEAT_MS);
    this.timer.unref();
  }

  /** Waits for the session alone, which answers or is lost: whatever else waits, that the server is silent shows here. */
  private async beat(): Promise<void> {
    try {
      if (!this.session.connected) this.anew = true;
      await this.session.connect();
      if (this.anew) await this.members.hold();
      await this.pulse();
      if (!this.closing) this.beside = Promise.all([this.beside, this.tellBeat(this.anew)]).then(() => undefined);
      this.anew = false;
    } catch (error) {
      this.beatFailed(error);
    }
  }

  private async pulse(): Promise<void> {
    const began = this.around.clock.now();
    const { now, alive, gone } = await this.members.beat();
    this.connections.resume();
    this.time.note(began, now);
    this.gone = gone;
    if (!alive) await this.joinAgain();
  }

  private async tellBeat(anew: boolean): Promise<void> {
    try {
      const buried = this.burial.run(anew);
      // What those held can be found then.
      await buried.catch(() => undefined);
      await Promise.all([buried, ...[...this.listeners.values()].map((task) => task.run(anew))]);
      if (this.session.connected) this.setProblem(undefined);
    } catch (error) {
      this.beatFailed(error);
    }
  }

  private beatFailed(error: unknown): void {
    if (isAway(error) || !this.session.connected) this.setProblem(`${this.connections.database} cannot be reached: ${textOf(error)}`);
    else this.around.log.warn('looking after the store failed', { error: textOf(error) });
  }

  private async joinAgain(): Promise<void> {
    this.around.log.warn('other engines took this one for gone; it has joined again, and what it had claimed is void');
    await this.members.join();
    this.notifier.tellAll(JOINED, ['']);
  }

  private heard(notice: Notice): void {
    if (notice.from === this.members.member) return;
    this.members.others = Math.max(1, this.members.others);
    for (const listener of this.listeners.keys()) listener.notice?.(notice);
  }

  /** When the session does not answer either, nothing does: calls that wait fail now. */
  private failed(error: unknown): void {
    if (isAway(error) && !this.closed) this.setProblem(`${this.connections.database} cannot be reached: ${textOf(error)}`);
  }

  private setProblem(problem: string | undefined): void {
    if (this.closed) return;
    if (problem !== undefined && !this.session.connected) this.connections.suspend(problem);
    if (problem === this.problem) return;
    const changed = (problem === undefined) !== (this.problem === undefined);
    this.problem = problem;
    if (!changed) return;
    if (problem === undefined) this.around.log.info(`${this.connections.database} is back`);
    else this.around.log.error(problem);
    this.tellHealth();
  }

  private get state(): string | undefined {
    return this.problem ?? (this.weak.length === 0 ? undefined : `durability: weak: ${this.weak.join(', ')}`);
  }

  private tellHealth(): void {
    const message = this.state;
    for (const user of this.users) {
      if (message === undefined) user.report('ok');
      else user.report('degraded', { message });
    }
  }
}
