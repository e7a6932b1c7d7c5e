import { type Clock, type Logger, type ModuleContext, OutageGrace, StoreClock, type Unsubscribe } from '@treadle/api';
import { textOf } from './faults.js';
import { JetLog } from './jet-log.js';
import type { Link } from './link.js';
import { Listeners, type StoreListener } from './listeners.js';
import { ensureStream, openLink, type StreamShape, weaknessOf } from './server-checks.js';
import { ServerTime } from './server-time.js';
import type { NatsConfig } from './store.config.js';

const BEAT_MS = 1_000;
const TIME_SECONDS = 10;

interface Surroundings {
  readonly config: NatsConfig;
  readonly clock: Clock;
  readonly log: Logger;
  readonly engine: string;
}

/** One engine's use of one store: connection, time, streams, notices, health. */
export class NatsStore {
  readonly time: StoreClock;
  readonly engine: string;
  /** Engines do not know of each other here: each one judges nothing for a while after it came, or came back. */
  readonly grace = new OutageGrace();
  /** What all subjects of the store begin with. */
  readonly prefix: string;
  private readonly listeners = new Listeners((error) => this.setProblem(textOf(error)));
  private readonly users = new Set<Pick<ModuleContext, 'report'>>();
  private readonly logs = new Map<string, Promise<JetLog>>();
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();
  private problem: string | undefined;
  private anew = false;
  private closed = false;

  private constructor(private readonly around: Surroundings, private readonly link: Link, private readonly serverTime: ServerTime) {
    this.time = new StoreClock(around.clock);
    this.engine = around.engine;
    this.prefix = `treadle.${around.config.name}`;
  }

  /** @throws {SERVICE_UNAVAILABLE} */
  static async open(around: Surroundings): Promise<NatsStore> {
    const { config } = around;
    const link = await openLink(config);
    try {
      const shape = timeStream(config);
      await ensureStream(link, config, shape);
      const store = new NatsStore(around, link, new ServerTime(link, shape.name, `treadle.${config.name}.t.${around.engine}`));
      await store.measure();
      store.begin();
      return store;
    } catch (error) {
      await link.close();
      throw error;
    }
  }

  /** The servers, for people. */
  get server(): string {
    return this.link.server;
  }

  /** The server is connected, and has not left something without an answer. */
  get reachable(): boolean {
    return this.link.unreachable === undefined;
  }

  /** The store, for people. */
  get name(): string {
    return `${this.link.server}, store ${this.around.config.name}`;
  }

  /** The stream for one kind of data; its subjects are `prefix.letter.…`. `perSubject`: messages of a subject that are kept. @throws {SERVICE_UNAVAILABLE} */
  log(kind: string, letter: string, perSubject?: number): Promise<JetLog> {
    const { config } = this.around;
    const name = streamName(config, kind);
    const shape = { name, subjects: [`${this.prefix}.${letter}.>`], ...perSubject !== undefined && { perSubject } };
    const opened = this.logs.get(name) ?? ensureStream(this.link, config, shape).then((found) => new JetLog(this.link, name, found));
    this.logs.set(name, opened);
    return opened;
  }

  /** What engines agree on beside the data: one message a subject. */
  records(): Promise<JetLog> {
    return this.log('records', 'm', 1);
  }

  /** Tells other engines something; one that does not hear it finds it by its look at the store. */
  tell(kind: string, text: string): void {
    if (this.link.connected && !this.closed) this.link.connection.publish(`${this.prefix}.n.${kind}`, text);
  }

  listen(listener: StoreListener): Unsubscribe {
    return this.listeners.add(listener);
  }

  /** Says in this instance's health how the store is. */
  use(context: Pick<ModuleContext, 'report'>): Unsubscribe {
    this.users.add(context);
    if (this.state !== undefined) context.report('degraded', { message: this.state });
    return () => void this.users.delete(context);
  }

  /** Asks for the store's time now. */
  async measure(): Promise<void> {
    const { began, store, ended } = await this.serverTime.ask(() => this.around.clock.now());
    this.time.note(began, store, ended);
    this.grace.beat(this.grace.apart ? store : undefined);
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.beating;
    await this.listeners.idle();
    await this.link.close();
  }

  private begin(): void {
    const heard = `${this.prefix}.n.`;
    this.link.connection.subscribe(`${heard}*`, {
      callback: (error, message) => {
        if (!error) this.listeners.notice(message.subject.slice(heard.length), message.string());
      },
    });
    void this.link.follow(() => {
      this.anew = true;
      if (this.link.connected) this.beatNow();
      else this.lost();
    });
    this.arm();
  }

  private lost(): void {
    this.setProblem(`${this.link.server} cannot be reached: the connection is lost`);
    this.listeners.away();
  }

  /** Not by the engine's clock: whether a server answers shows in real time, whatever that clock says. */
  private arm(): void {
    clearTimeout(this.timer);
    if (this.closed) return;
    this.timer = setTimeout(() => this.beatNow(), BEAT_MS);
    this.timer.unref();
  }

  private beatNow(): void {
    clearTimeout(this.timer);
    if (!this.closed) this.beating = this.beating.then(() => this.beat()).finally(() => this.arm());
  }

  private async beat(): Promise<void> {
    if (this.closed || !this.link.connected) return;
    try {
      const { anew } = this;
      this.anew = false;
      // It lies in memory: a server that was started again has lost it.
      if (anew) await ensureStream(this.link, this.around.config, timeStream(this.around.config));
      await this.measure();
      this.setProblem(undefined);
      this.listeners.beat(anew);
    } catch (error) {
      this.anew = true;
      this.setProblem(textOf(error));
    }
  }

  private setProblem(problem: string | undefined): void {
    if (this.closed || problem === this.problem) return;
    const changed = (problem === undefined) !== (this.problem === undefined);
    this.problem = problem;
    if (!changed) return;
    if (problem === undefined) this.around.log.info(`${this.link.server} is back`);
    else this.around.log.error(problem);
    this.tellHealth();
  }

  private get state(): string | undefined {
    const weak = weaknessOf(this.around.config);
    return this.problem ?? (weak === undefined ? undefined : `durability: a power cut may take the last writes: ${weak}`);
  }

  private tellHealth(): void {
    const message = this.state;
    for (const user of this.users) {
      if (message === undefined) user.report('ok');
      else user.report('degraded', { message });
    }
  }
}

function timeStream(config: NatsConfig): StreamShape {
  return { name: streamName(config, 'time'), subjects: [`treadle.${config.name}.t.>`], memorySeconds: TIME_SECONDS };
}

function streamName({ name }: NatsConfig, kind: string): string {
  return `treadle-${name}-${kind}`;
}
