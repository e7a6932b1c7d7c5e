import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CallAnswer, type Catalog, type Clock, type DeclaredTriggerKind, type EngineInfo, type HealthReport, type HttpMiddleware, type HttpResult,
  type Invoker, type InvokeRequest, type LogFields, type Logger, type LogRecord, type LogSink, type ModuleContext, StepFailure, type StepRecord, type StepResult,
  type Telemetry, type TriggerKindBinding, type TriggerRecord, type Triggers, type Unsubscribe,
} from '@treadle/api';
import type { HttpInput } from '@treadle/protocol';
import { HTTP_CONFIG, type HttpConfig } from './http.config.js';
import { HttpModule } from './http.module.js';

/** What a test's handler does. */
export type Handler = (input: HttpInput, request: InvokeRequest) => HttpResult | Promise<HttpResult>;

/** Runs functions: no workers, no deadlines but the ones a test asks for. */
export class FakeDispatch implements Invoker, Catalog, Triggers {
  readonly handlers = new Map<string, Handler>();
  readonly cancelled: { request: InvokeRequest; reason: string }[] = [];
  readonly requests: InvokeRequest[] = [];
  running = 0;
  private binding: TriggerKindBinding | undefined;
  private readonly records = new Map<string, StepRecord>();
  private readonly rejects = new Map<InvokeRequest, (failure: StepFailure) => void>();

  start(request: InvokeRequest, answer: CallAnswer): void {
    this.invoke(request).then((result) => answer.succeeded(result), (failure: unknown) => answer.failed(failure as StepFailure));
  }

  invoke(request: InvokeRequest): Promise<StepResult> {
    this.requests.push(request);
    this.running++;
    const handler = this.handlers.get(request.step);
    const work = new Promise<StepResult>((resolve, reject) => {
      this.rejects.set(request, reject);
      Promise.resolve()
        .then(() => {
          if (!handler) throw new StepFailure('no_worker', 'no worker serves it');
          return handler(request.input as HttpInput, request);
        })
        .then((http) => resolve({ http }), reject);
    });
    return work.finally(() => {
      this.running--;
      this.rejects.delete(request);
    });
  }

  readonly settled = true;

  onSettled(): () => void {
    return () => undefined;
  }

  cancel(request: InvokeRequest, reason: 'client_gone' | 'drain'): void {
    this.cancelled.push({ request, reason });
    this.rejects.get(request)?.(new StepFailure('cancelled', reason));
  }

  add(trigger: Record<string, unknown>, handler: Handler, name = `Step${this.records.size}`): StepRecord {
    const record: TriggerRecord = { type: 'http', ...trigger };
    const step: StepRecord = {
      id: name, config: { name, triggers: [record] }, file: `steps/${name}.step.ts`, line: 3, language: 'typescript', configHash: '1',
    };
    this.binding?.bind(step, record, { type: 'http', index: 0 });
    this.records.set(name, step);
    this.handlers.set(name, handler);
    return step;
  }

  remove(step: StepRecord): void {
    this.records.delete(step.id);
    this.binding?.unbind(step, step.config.triggers[0]!, { type: 'http', index: 0 });
  }

  bind(_type: string, binding: TriggerKindBinding): () => void {
    this.binding = binding;
    return () => {
      this.binding = undefined;
    };
  }

  steps(): readonly StepRecord[] {
    return [...this.records.values()];
  }
  step(id: string): StepRecord | undefined {
    return this.records.get(id);
  }
  onChange(): () => void {
    return () => undefined;
  }
  kinds(): readonly DeclaredTriggerKind[] {
    return [];
  }
  onServing(): Unsubscribe {
    return () => undefined;
  }

  servers(): number {
    return 1;
  }
}

/** Health that a test sets. */
export class FakeHealth {
  current: HealthReport = { status: 'ok' };
  draining = false;
  report(): HealthReport {
    return this.current;
  }
  onChange(): () => void {
    return () => undefined;
  }
}

/** Keeps the lines of the log. */
export class LogLines implements Logger, LogSink {
  readonly lines: (Omit<Partial<LogRecord>, 'fields'> & { level: string; message: string; fields?: LogFields | undefined })[] = [];
  write(record: LogRecord): void {
    this.lines.push(record);
  }
  debug(message: string, fields?: LogFields): void {
    this.lines.push({ level: 'debug', message, fields });
  }
  info(message: string, fields?: LogFields): void {
    this.lines.push({ level: 'info', message, fields });
  }
  warn(message: string, fields?: LogFields): void {
    this.lines.push({ level: 'warn', message, fields });
  }
  error(message: string, fields?: LogFields): void {
    this.lines.push({ level: 'error', message, fields });
  }
  child(): Logger {
    return this;
  }
}

/** Real time: sockets do not wait for a fake one. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  },
  every: (ms, task) => {
    const timer = setInterval(task, ms).unref();
    return { cancel: () => clearInterval(timer) };
  },
};

/** A started module on a free port, with everything a test looks at. */
export interface RunningModule {
  readonly module: HttpModule;
  readonly hub: FakeDispatch;
  readonly health: FakeHealth;
  readonly log: LogLines;
  readonly url: string;
  readonly port: number;
  readonly root: string;
  readonly announced: Map<string, string>;
  stop(): Promise<void>;
}

export interface RunOptions {
  readonly config?: Partial<HttpConfig>;
  readonly middleware?: readonly HttpMiddleware[];
  readonly mode?: 'development' | 'production';
  readonly root?: string;
  readonly clock?: Clock;
  readonly telemetry?: Telemetry;
}

/** The config with all defaults of the schema. */
export function withDefaults(config: Partial<HttpConfig> = {}): HttpConfig {
  const entries = Object.entries(HTTP_CONFIG.properties ?? {}).filter(([, schema]) => schema.default !== undefined);
  return { ...Object.fromEntries(entries.map(([key, schema]) => [key, schema.default])), port: 0, ...config } as HttpConfig;
}

/** Starts the module as the engine would; requests are shed only where a test asks for it: the clients share the module's event loop. */
export async function runModule(options: RunOptions = {}): Promise<RunningModule> {
  const ownRoot = options.root === undefined ? mkdtempSync(join(tmpdir(), 'treadle-http-')) : undefined;
  const root = options.root ?? ownRoot!;
  const [hub, health, log, announced] = [new FakeDispatch(), new FakeHealth(), new LogLines(), new Map<string, string>()];
  const engine: EngineInfo = {
    version: '0', engineId: 'e', env: process.env, mode: options.mode ?? 'production', root, dataDir: root, application: 'test',
    announce: (name, address) => announced.set(name, address),
  };
  const module = new HttpModule(hub, hub, hub, engine, health, log, options.middleware, withDefaults({ max_event_loop_delay_ms: 60_000, ...options.config }), options.telemetry);
  const context = freshContext(log, options.clock ?? realClock);
  const stop = async (): Promise<void> => {
    await module.stop();
    if (ownRoot) rmSync(ownRoot, { recursive: true, force: true });
  };
  try {
    await module.init(context);
    await module.start(context);
  } catch (error) {
    await stop();
    throw error;
  }
  const url = module.address!;
  return { module, hub, health, log, url, port: Number(new URL(url).port), root, announced, stop };
}

/** What the engine gives a module, on real time. */
export function freshContext(log: Logger, clock: Clock = realClock): ModuleContext {
  const classId = 'modules::http::HttpModule';
  return {
    instance: { id: classId, classId, path: 'modules[0]', package: '@treadle/module-http', version: '0.1.0' },
    log, clock, turn: { at: () => () => undefined }, signal: new AbortController().signal, report: () => undefined, fatal: () => undefined,
    shared: (_key, open) => open(), admin: { get: () => undefined, post: () => undefined, put: () => undefined, delete: () => undefined, events: () => undefined },
    capabilities: () => undefined,
  };
}
