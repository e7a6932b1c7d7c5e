import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type {
  AddAdminRoute, AdminHandle, Clock, DeclaredTriggerKind, EngineInfo, InvokeRequest, LogRecord, Logger, ModuleContext, OperationSpec, RuntimeAdapter, Telemetry,
} from '@treadle/api';
import { Dispatch } from '@treadle/dispatch';
import { EngineTurn, systemClock } from '@treadle/kernel';
import type { Message } from '@treadle/protocol';
import { WebSocket } from 'ws';
import { httpKind, queueKind } from './diagnostics/diagnose.fixture.js';
import type { StepsConfig } from './steps.config.js';
import { StepsModule } from './steps.module.js';

export interface StartOptions {
  readonly config?: Partial<StepsConfig>;
  readonly runtimes?: readonly RuntimeAdapter[];
  readonly mode?: 'development' | 'production';
  /** Path relative to the root → content. */
  readonly files?: Readonly<Record<string, string>>;
  readonly kinds?: readonly DeclaredTriggerKind[];
  readonly operations?: readonly OperationSpec[];
  readonly clock?: Clock;
  readonly dataDir?: string;
  readonly telemetry?: Telemetry;
  /** Runs before the module is made. */
  readonly before?: (dataDir: string) => void;
}

/** A StepsModule with a real dispatch in a fresh folder. */
export class TestSteps {
  readonly announced = new Map<string, string>();
  readonly logged: { level: string; message: string; fields?: Record<string, unknown> | undefined }[] = [];
  readonly records: LogRecord[] = [];
  readonly health: string[] = [];
  /** Admin routes by method and path. */
  readonly routes = new Map<string, AdminHandle>();
  private constructor(
    readonly module: StepsModule, readonly dispatch: Dispatch, readonly root: string, readonly dataDir: string,
  ) {}

  static async start(options: StartOptions = {}): Promise<TestSteps> {
    const root = await mkdtemp(join(tmpdir(), 'treadle-steps-'));
    for (const [file, text] of Object.entries(options.files ?? {})) await write(root, file, text);
    const dataDir = join(root, options.dataDir ?? 'data');
    await mkdir(dataDir, { recursive: true });
    options.before?.(dataDir);
    const { clock = systemClock, kinds = [httpKind, queueKind], operations = [], mode = 'production' } = options;
    const records: LogRecord[] = [];
    const dispatch = new Dispatch({ clock, kinds, operations, service: 'test', log: { write: (record) => records.push(record) } });
    const { catalog, triggers, invoker, sessions } = dispatch;
    const announced = new Map<string, string>();
    const info: EngineInfo = {
      version: '0.0.0', engineId: 'e', env: process.env, mode, root, dataDir, application: 'test', announce: (name, address) => void announced.set(name, address),
    };
    const config: StepsConfig = { discover: true, port: 0, host: '127.0.0.1', ...options.config };
    const module = new StepsModule(config, options.runtimes ?? [], catalog, triggers, invoker, sessions, info, {
      draining: true, report: () => ({ status: 'draining' }), onChange: () => () => undefined,
    }, options.telemetry);
    const steps = new TestSteps(module, dispatch, root, dataDir);
    Object.assign(steps, { announced, records });
    const context = steps.context(clock);
    for (const runtime of options.runtimes ?? []) await runtime.init?.(context);
    try {
      await module.init(context);
      await module.start();
    } catch (error) {
      await steps.stop();
      throw error;
    }
    return steps;
  }

  async stop(): Promise<void> {
    await this.module.stop({ log: this.log(), signal: new AbortController().signal });
    await rm(this.root, { recursive: true, force: true });
  }

  write(file: string, text: string): Promise<void> {
    return write(this.root, file, text);
  }

  async token(): Promise<string> {
    return (await readFile(join(this.dataDir, 'worker.token'), 'utf8')).trim();
  }

  /** Connects to the TCP port, or to the unix socket. */
  connect(where: 'worker' | 'worker-tcp' = 'worker-tcp', headers: Record<string, string> = {}): Promise<TestWorker> {
    return TestWorker.connect(this.announced.get(where) ?? '', headers);
  }

  /** A session that has registered these Steps: name → path of its GET route. */
  async worker(steps: Readonly<Record<string, string>>, hello: object = {}): Promise<TestWorker> {
    const worker = await this.connect();
    await worker.hello(await this.token(), hello);
    worker.register(steps);
    await until(() => Object.keys(steps).every((id) => this.dispatch.invoker.servers(id) > 0));
    return worker;
  }

  private context(clock: Clock): ModuleContext {
    const unused = (): never => { throw new Error('not used'); };
    return {
      instance: { id: 'modules::steps::StepsModule', classId: 'modules::steps::StepsModule', path: 'modules[0]', package: '', version: '' },
      log: this.log(), clock, turn: new EngineTurn(clock), signal: new AbortController().signal, fatal: unused, shared: unused,
      report: (status, detail) => void this.health.push(detail ? `${status}: ${detail.message}` : status),
      admin: { get: this.adds('GET'), post: this.adds('POST'), put: unused, delete: unused, events: unused }, capabilities: unused,
    };
  }

  private adds(method: string): AddAdminRoute<AdminHandle> {
    return (path, handle) => void this.routes.set(`${method} ${path}`, handle);
  }

  private log(): Logger {
    const at = (level: string) => (message: string, fields?: Record<string, unknown>): void => void this.logged.push({ level, message, fields });
    return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => this.log() };
  }
}

/** The other end of the worker channel, by hand. */
export class TestWorker {
  readonly received: Message[] = [];
  readonly closed: Promise<number>;
  session = '';
  private constructor(readonly socket: WebSocket) {
    this.closed = once(socket, 'close').then(([code]) => code as number);
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => this.received.push(...JSON.parse(data.toString()) as Message[]));
  }

  static async connect(url: string, headers: Record<string, string> = {}): Promise<TestWorker> {
    const worker = new TestWorker(new WebSocket(url, { headers, perMessageDeflate: false }));
    await once(worker.socket, 'open');
    return worker;
  }

  send(...messages: object[]): void {
    this.socket.send(JSON.stringify(messages));
  }

  async hello(token: string, more: object = {}): Promise<void> {
    this.send({ ...HELLO, token, ...more });
    const { session } = await this.next('welcome');
    this.session = session;
  }

  register(steps: Readonly<Record<string, string>>, file = (id: string) => `steps/${id}.step.ts`): void {
    const reports = Object.entries(steps).map(([id, path]) => ({
      file: file(id), version: '1', steps: [{ config: { name: id, triggers: [{ type: 'http', method: 'GET', path }] }, line: 1 }],
    }));
    this.send({ type: 'register', reports, complete: true });
  }

  /** The first message of a type that was not taken yet. */
  async next<T extends Message['type']>(type: T): Promise<Extract<Message, { type: T }>> {
    await until(() => this.received.some((message) => message.type === type));
    const index = this.received.findIndex((message) => message.type === type);
    return this.received.splice(index, 1)[0] as Extract<Message, { type: T }>;
  }
}

export const HELLO = { type: 'hello', role: 'main', protocol: 1, runtime: 'node', runtimeVersion: 'v0', sdkVersion: '0', pid: 1 };

export const request = (over: Partial<InvokeRequest> = {}): InvokeRequest => ({
  step: 'A', trigger: { type: 'http', index: 0 }, input: { method: 'GET' }, traceId: 'a'.repeat(32), spanId: 'b'.repeat(16),
  sampled: true, timeoutMs: 5000, attempt: 1, lane: 'request', waitMs: 0, ...over,
});

/** Waits until a condition holds; fails when it does not in `limitMs` of waiting. */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 15_000): Promise<void> {
  for (let left = limitMs; !await condition(); left -= 5) {
    if (left <= 0) throw new Error(`not within ${limitMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}

/** The error that a promise rejects with. */
export const failure = (promise: Promise<unknown>): Promise<Error & { code?: string }> => promise.then(
  () => { throw new Error('expected a failure'); }, (error: unknown) => error as Error & { code?: string });

async function write(root: string, file: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true });
  await writeFile(join(root, file), text);
}
