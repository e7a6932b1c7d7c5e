import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CallAnswer, type Catalog, type Clock, type CronAdapter, type CronRun, type Invoker, type InvokeRequest, type LogFields, type Logger, StepFailure, type StepRecord,
  type Telemetry, type Timer,
} from '@treadle/api';
import { fakeClock, type FakeClock, type RunningAdapter, startAdapter } from '@treadle/testing';
import { CronService } from './cron-service.js';
import type { CronTrigger } from './cron-trigger.js';

export const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

/** A start of a handler, to be answered by the test. */
export interface Start {
  readonly request: InvokeRequest;
  readonly answer: CallAnswer;
  readonly at: number;
}

/** Keeps what it is to start. Answers at once with success unless it is told otherwise. */
export class FakeInvoker {
  readonly starts: Start[] = [];
  workers = 1;
  /** What becomes of a start; undefined leaves it running. */
  reply: ((start: Start) => 'ok' | StepFailure | undefined) = () => 'ok';
  private readonly open = new Set<Start>();
  private readonly listeners = new Set<(step: string, servers: number) => void>();

  constructor(private readonly clock: Clock) {}

  start(request: InvokeRequest, answer: CallAnswer): void {
    const start = { request, answer, at: this.clock.now() };
    if (this.workers === 0) {
      answer.failed(new StepFailure('no_worker', 'no worker serves it'));
      return;
    }
    this.starts.push(start);
    this.open.add(start);
    const reply = this.reply(start);
    if (reply) this.settle(start, reply);
  }

  /** How many were started and not answered yet. */
  get running(): number {
    return this.open.size;
  }

  settle(start: Start | undefined, reply: 'ok' | StepFailure): void {
    if (!start || !this.open.delete(start)) return;
    if (reply === 'ok') start.answer.succeeded({});
    else start.answer.failed(reply);
  }

  cancel(request: InvokeRequest): void {
    const start = [...this.open].find((one) => one.request === request);
    this.settle(start, new StepFailure('cancelled', 'drain'));
  }

  serve(workers: number, step = 'report'): void {
    this.workers = workers;
    for (const listener of this.listeners) listener(step, workers);
  }

  servers(): number {
    return this.workers;
  }

  onServing(listener: (step: string, servers: number) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  step(): StepRecord | undefined {
    return undefined;
  }

  /** Ticks that were started, with the attempt when it is not the first. */
  ticks(): string[] {
    return this.starts.map(({ request }) => {
      const at = (request.input as { scheduledAt: string }).scheduledAt.replace('.000Z', 'Z');
      return request.attempt === 1 ? at : `${at} #${request.attempt}`;
    });
  }
}

/** A clock whose time of day can be set, and that can fall silent like that of a process which was killed. */
export class OwnClock implements Clock {
  shift = 0;
  dead = false;
  constructor(private readonly clock: FakeClock) {}
  now = (): number => this.clock.now() + this.shift;
  monotonic = (): number => this.clock.monotonic();
  after = (ms: number, task: () => void): Timer => this.clock.after(ms, () => this.dead || task());
  every = (ms: number, task: () => void): Timer => this.clock.every(ms, () => this.dead || task());
}

/** A logger that keeps its lines. */
export function keptLog(): Logger & { readonly lines: { level: string; message: string; fields: LogFields | undefined }[] } {
  const lines: { level: string; message: string; fields: LogFields | undefined }[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) => void lines.push({ level, message, fields });
  const logger = { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => logger };
  return logger;
}

/** One service with a hub and a clock of its own. */
export class Life {
  readonly clock: OwnClock;
  readonly hub: FakeInvoker;
  readonly log = keptLog();
  readonly service: CronService;

  constructor(readonly world: World, readonly adapter: CronAdapter, telemetry?: Telemetry) {
    this.clock = new OwnClock(world.clock);
    this.hub = new FakeInvoker(this.clock);
    this.service = new CronService({ catalog: this.hub as unknown as Catalog, invoker: this.hub as unknown as Invoker, adapter, clock: this.clock, log: this.log, telemetry });
  }

  bind(trigger: Omit<CronTrigger, 'type'>, step = 'report', index = 0): void {
    this.service.bind(recordOf(step), { type: 'cron', ...trigger }, { type: 'cron', index });
  }

  unbind(trigger: Omit<CronTrigger, 'type'>, step = 'report', index = 0): void {
    this.service.unbind(recordOf(step), { type: 'cron', ...trigger }, { type: 'cron', index });
  }

  /** Of the first trigger, oldest first. */
  async runs(): Promise<CronRun[]> {
    const [timeline] = this.service.triggers();
    return timeline ? [...await this.service.runs(timeline, 100)].reverse() : [];
  }

  async statuses(): Promise<string[]> {
    return (await this.runs()).map(({ scheduledAt, status }) => `${shown(scheduledAt)} ${status}`);
  }

  /** As a process that is killed: nothing of it happens any more, and nothing is given back. */
  kill(): void {
    this.clock.dead = true;
    this.hub.reply = () => undefined;
  }

  async stop(): Promise<void> {
    await this.service.stop();
  }
}

/** What there is on a store: one engine with two adapters, or two engines with one each. */
export type Engines = 'one' | 'two';

const MAP_CRON = new URL('../../../core/testing/src/cron-suite/map-cron.fixture.ts', import.meta.url).href;

/** A store, and the time. */
export class World {
  readonly clock: FakeClock;
  readonly lives: Life[] = [];
  private running: readonly RunningAdapter<CronAdapter>[] = [];
  private readonly root = mkdtempSync(join(tmpdir(), 'treadle-cron-'));

  private constructor(start: string, private readonly durable: boolean, private readonly engines: Engines) {
    this.clock = fakeClock(Date.parse(start));
  }

  static async at(start: string, { durable = false, engines = 'one' }: { readonly durable?: boolean; readonly engines?: Engines } = {}): Promise<World> {
    const world = new World(start, durable, engines);
    await world.open();
    return world;
  }

  /** A service on the store; `user` 0 or 1 tells which of the two adapters it has. */
  life(user = 0, change: (adapter: CronAdapter) => CronAdapter = (adapter) => adapter): Life {
    const adapter = this.running.flatMap(({ adapters }) => adapters)[user];
    if (!adapter) throw new Error('the store is not open');
    const life = new Life(this, change(adapter));
    this.lives.push(life);
    return life;
  }

  /** The engine ends, in order or not, and the store is opened again. */
  async restart({ downMs = 0 } = {}): Promise<void> {
    await this.close();
    await this.clock.advance(downMs);
    await this.open();
  }

  async end(): Promise<void> {
    for (const life of this.lives) if (!life.clock.dead) await life.stop();
    await this.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  private async open(): Promise<void> {
    const { clock, root } = this;
    const map = { plugin: MAP_CRON, classId: 'testing::cron::adapters::MapCron', slot: 'cron', root, clock, config: { flaw: 'shared' } };
    this.running = this.engines === 'two' ? [await startAdapter<CronAdapter>(map), await startAdapter<CronAdapter>(map)] : [await startAdapter<CronAdapter>({
      plugin: '@treadle/plugin-sqlite', classId: 'modules::cron::adapters::Sqlite', slot: 'cron', root, clock, users: 2,
      config: { store_method: this.durable ? 'file_based' : 'in_memory', durability: 'relaxed' },
    })];
  }

  private async close(): Promise<void> {
    for (const engine of this.running) await engine.stop();
  }
}

/** An adapter with some of its methods replaced. */
export function changed(adapter: CronAdapter, over: Partial<CronAdapter>): CronAdapter {
  return new Proxy(adapter, {
    get: (target, name) => {
      const value: unknown = Reflect.get(Object.hasOwn(over, name) ? over : target, name);
      return typeof value === 'function' ? (value.bind(Object.hasOwn(over, name) ? over : target) as unknown) : value;
    },
  });
}

export const shown = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

function recordOf(step: string): StepRecord {
  return { id: step, config: { name: step, triggers: [] }, file: `steps/${step}.step.ts`, language: 'typescript', configHash: '1' };
}
