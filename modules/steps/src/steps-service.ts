import {
  type CatalogWriter, type DrainContext, type EngineInfo, type Health, type Invoker, type ModuleContext, type RuntimeAdapter, type RuntimeHost,
  type RuntimeStatus, SecretToken, type SessionInfo, type Sessions, type StepFile, type StepFileReport, type Triggers, type Unsubscribe,
} from '@treadle/api';
import type { RegisterMessage } from '@treadle/protocol';
import { WORKER_TOKEN_FILE } from '@treadle/protocol/engine-record';
import { roleOfFile } from '@treadle/worker/discover';
import { findOverlooked } from '@treadle/worker/overlooked';
import { KeptCatalog, type KeptSource } from './catalog/kept-catalog.js';
import { LOCAL_SOURCE, CatalogMaker } from './catalog/catalog-maker.js';
import { StepWatcher } from './development/step-watcher.js';
import { overlookedFiles } from './diagnostics/overlooked-files.js';
import { Gateway } from './gateway/gateway.js';
import { Listener } from './gateway/listener.js';
import { LocalEndpoint } from './gateway/local-endpoint.js';
import { openRemoteEndpoint, refuseOpenHost } from './gateway/remote-endpoint.js';
import type { WorkerConnection } from './gateway/worker-connection.js';
import { findLocalFiles, localBuild, NO_FILES, tellOfBuild } from './local-files.js';
import { assignFiles, refuseOverlap } from './runtimes/runtime-files.js';
import { runtimeHost } from './runtimes/runtime-host.js';
import { RuntimeSet } from './runtimes/runtime-set.js';
import { buildOf, remoteName, SessionBook, sourceOf } from './session-book.js';
import type { StepsConfig } from './steps.config.js';
import { refusedStart } from './refused-start.js';
import { unservedSteps } from './unserved-steps.js';
import { untilIdle } from './until-idle.js';

export interface StepsServiceOptions {
  readonly config: StepsConfig;
  readonly runtimes: readonly RuntimeAdapter[];
  readonly catalog: CatalogWriter;
  readonly triggers: Triggers;
  readonly invoker: Invoker;
  readonly sessions: Sessions;
  readonly info: EngineInfo;
  readonly health: Health;
  readonly context: ModuleContext;
}

/** What a process that leaves by itself gets for what it still runs; milliseconds. */
const LEAVE_MS = 300_000;
/** What workers get to end in when handlers still run that were told to stop, or that were started by hand; milliseconds. */
const RETIRE_MS = 2_000;
/** The same when nothing runs and they only have to close what they have opened; milliseconds, less than `stop_timeout_ms` by default. */
const CLOSE_MS = 8_000;

/** The working parts of StepsModule, from its init to its stop. */
export class StepsService {
  readonly catalog: CatalogMaker;
  readonly runtimes: RuntimeSet;
  private readonly sessions: SessionBook;
  private readonly gateway: Gateway;
  private readonly token: SecretToken;
  private readonly local: Listener;
  private readonly remote: Listener;
  private readonly endpoint = new LocalEndpoint();
  private readonly kept: KeptCatalog;
  private host: RuntimeHost | undefined;
  private watcher: StepWatcher | undefined;
  private reported: RuntimeStatus | undefined;
  private reportedMessage: string | undefined;
  private reporting = false;
  private leaving = false;
  /** Some processes have setups to close. */
  private closes = false;
  private readonly endServing: Unsubscribe;

  constructor(private readonly options: StepsServiceOptions) {
    const { config, catalog, triggers, invoker, sessions, info, context, runtimes } = options;
    const { clock, log, turn } = context;
    this.kept = new KeptCatalog(info.dataDir, log);
    this.token = new SecretToken(WORKER_TOKEN_FILE, config.token);
    this.catalog = new CatalogMaker({
      catalog, triggers, log, clock, root: info.root, mode: info.mode, build: localBuild(info), discovers: config.discover,
    });
    this.gateway = new Gateway({
      clock, turn, log, sessions, token: this.token, engineVersion: info.version, mode: info.mode,
      events: {
        registered: (session, message) => this.registered(session, message),
        closed: (session, reason) => this.closed(session, reason),
      },
    });
    this.sessions = new SessionBook(sessions, () => this.gateway.all(), this.catalog);
    this.runtimes = new RuntimeSet({ runtimes, log, onChange: () => this.report() });
    this.endServing = invoker.onServing(() => this.reportSoon());
    this.catalog.onChange(() => {
      this.kept.keep(this.catalog.remoteSources());
      this.reportSoon();
    });
    this.local = new Listener(this.gateway);
    this.remote = new Listener(this.gateway);
  }

  /** Opens the local endpoint and starts the children, so that they boot beside the rest of the engine. */
  async open(): Promise<void> {
    const { config, info, context, runtimes, catalog } = this.options;
    await refuseOpenHost(config, context.instance);
    refuseOverlap(runtimes, [], context.instance);
    catalog.settle(false);
    const [local, kept, socketUrl] = await Promise.all([
      config.discover ? findLocalFiles(info) : NO_FILES,
      this.kept.read(),
      this.endpoint.open(this.local, info.dataDir),
      this.token.publish(info.dataDir),
    ]);
    info.announce('worker', socketUrl);
    const { files } = local;
    this.host = this.createHost(socketUrl, local.build?.dist);
    refuseOverlap(runtimes, files, context.instance);
    const loadedMs = context.clock.now();
    this.catalog.restore(this.elsewhere(kept, files));
    await this.serve(files);
    if (config.discover && !local.build) await this.overlook();
    if (config.discover && info.mode === 'development' && !runtimes.every(({ loadsOnce }) => loadsOnce)) await this.watch(files, loadedMs);
    void tellOfBuild(info.root, local, context.log);
  }

  /** Opens the port for processes that are started by hand. */
  async listen(): Promise<void> {
    const { config, info, context } = this.options;
    const { host, port } = config;
    if (port === false) return;
    info.announce('worker-tcp', await openRemoteEndpoint(this.remote, { host, port }, context.instance));
  }

  /**
   * Waits until nothing runs, then lets processes go that were started by hand: there is no more work. When the engine
   * stops, the modules that start Steps see to that; with a reload they go on, and their calls wait for the next workers.
   */
  async drain(context: DrainContext): Promise<void> {
    this.catalog.freeze();
    this.leaving = true;
    if (!this.options.health.draining) {
      this.gateway.shut();
      this.sessions.retire();
    }
    const { invoker, health } = this.options;
    // Calls that wait for a worker count as well, unless they wait for those of the next instance.
    await untilIdle(this.options.context.clock, () => (health.draining ? invoker.running : this.sessions.running) === 0, context.signal);
    this.gateway.shut();
    for (const session of this.sessions.remote()) session.drain(RETIRE_MS);
  }

  /** @param hurry somebody insists: nobody gets time to end */
  async close(hurry: boolean): Promise<void> {
    this.leaving = true;
    this.catalog.close();
    this.endServing();
    await this.watcher?.close();
    this.gateway.shut();
    await this.runtimes.retire(hurry ? 0 : this.closes && this.sessions.running === 0 ? CLOSE_MS : RETIRE_MS);
    this.sessions.close();
    this.gateway.close();
    await Promise.all([this.local.close(), this.remote.close()]);
    await Promise.all([this.endpoint.remove(), this.token.withdraw(), this.kept.settled()]);
    // What comes is another module's business.
    this.options.catalog.settle(true);
  }

  sessionList(): readonly SessionInfo[] {
    return this.sessions.list();
  }

  /** By session, milliseconds; of processes with a heartbeat. */
  loopDelays(): ReadonlyMap<string, number> {
    return new Map(this.gateway.all().flatMap(({ id, loopDelayMs }) => (loopDelayMs === undefined ? [] : [[id, loopDelayMs] as const])));
  }

  private createHost(socketUrl: string, dist: string | undefined): RuntimeHost {
    const { info, context } = this.options;
    return runtimeHost({
      root: info.root, dataDir: info.dataDir, mode: info.mode, env: info.env, dist, socketUrl, token: this.token.value, log: context.log,
      expectChild: (childId, events) => this.gateway.expectChild(childId, events),
      join: (session) => this.sessions.join(session),
      reports: (session, handle, reports) => this.take(session, { source: LOCAL_SOURCE, handle }, reports),
      refused: (reports) => this.refused(reports),
      crashed: (crash) => this.runtimes.crashed(crash),
      statusChanged: () => this.report(),
    });
  }

  private async serve(files: readonly StepFile[]): Promise<void> {
    if (!this.host) return;
    this.closes = files.some(({ file }) => roleOfFile(file) === 'setup');
    const { byRuntime, unserved } = assignFiles(this.options.runtimes, files);
    this.catalog.want([...byRuntime.values()].flat(), unserved);
    await this.runtimes.assign(byRuntime, this.host);
    this.report();
  }

  private async overlook(): Promise<void> {
    this.catalog.overlook(overlookedFiles(await findOverlooked(this.options.info.root)));
  }

  private async watch(files: readonly StepFile[], loadedMs: number): Promise<void> {
    const { info, context } = this.options;
    const onChange = (now: readonly StepFile[]): void => {
      this.serve(now).catch((error: unknown) => context.log.error('changed Steps could not be loaded', { reason: String(error) }));
    };
    this.watcher = new StepWatcher({ root: info.root, clock: context.clock, log: context.log, loadedMs, onChange, onLook: () => this.overlook() });
    await this.watcher.start(files);
  }

  private registered(session: WorkerConnection, message: RegisterMessage): void {
    const { context } = this.options;
    const isKnown = this.catalog.session(session) !== undefined;
    if (!session.child && !isKnown) {
      context.log.info('a Step process connected', { name: remoteName(session.hello), runtime: session.runtime, pid: session.pid });
    }
    const { application, root } = session.hello;
    const remote = { ...buildOf(session.hello, this.options.info.application), complete: message.complete, lasting: (application ?? root) !== undefined };
    this.take(session, { source: sourceOf(session), handle: session.handle, ...(!session.child && { remote }) }, message.reports);
    // It is about to leave. Nothing is sent to it any more: this it can rely on once it has read the answer.
    if (!session.child && isKnown && message.reports.length === 0) session.drain(LEAVE_MS);
    // The child's events come after this; its state decides about health.
    setImmediate(() => this.report());
  }

  private take(key: object, from: Parameters<CatalogMaker['register']>[1], reports: readonly StepFileReport[]): void {
    this.catalog.register(key, from, reports);
    if (from.source === LOCAL_SOURCE) this.learn(reports);
  }

  private refused(reports: readonly StepFileReport[]): void {
    this.catalog.refuse(reports);
    this.learn(reports);
  }

  private learn(reports: readonly StepFileReport[]): void {
    this.watcher?.learn(reports).catch((error: unknown) => {
      this.options.context.log.warn('imports cannot be watched', { reason: String(error) });
    });
  }

  private closed(session: WorkerConnection, reason: string): void {
    if (!session.child) {
      this.options.context.log.info('a Step process left', { name: remoteName(session.hello), pid: session.pid, reason });
    }
    this.catalog.leave(session);
  }

  /** What is kept of this application itself counts for files only that its own runtimes do not serve. */
  private elsewhere(kept: readonly KeptSource[], files: readonly StepFile[]): readonly KeptSource[] {
    const { config, info, runtimes } = this.options;
    if (!config.discover) return kept;
    const unserved = new Set(assignFiles(runtimes, files).unserved.map(({ file }) => file));
    return kept.map((source) => (source.application === info.application
      ? { ...source, reports: source.reports.filter(({ file }) => unserved.has(file)) } : source));
  }

  /** Many Steps come and go in one turn. */
  private reportSoon(): void {
    if (this.reporting) return;
    this.reporting = true;
    setImmediate(() => {
      this.reporting = false;
      this.report();
    });
  }

  /** Health, told on change only. While workers leave because they are let go, nothing is wrong. */
  private report(): void {
    if (this.leaving) return;
    const { status, message } = this.health();
    if (status !== 'starting' && (this.reported ?? 'starting') === 'starting' && this.refuseToServe()) return;
    this.options.catalog.settle(status !== 'starting' && (this.options.config.discover || this.catalog.knowsRemote));
    // One that has started and gets another process, for its first Python file, say, goes on being what it is.
    if (status === 'starting' && this.reported !== undefined) return;
    if (status === this.reported && message === this.reportedMessage) return;
    [this.reported, this.reportedMessage] = [status, message];
    this.options.context.report(status, message === undefined ? undefined : { message });
  }

  /** Without the variables that it declares an application does not start, and in production not without the secrets of its guards. */
  private refuseToServe(): boolean {
    const refused = refusedStart(this.catalog.diagnostics, this.options.info.mode);
    if (refused) this.options.context.fatal(refused);
    return refused !== undefined;
  }

  private health(): { readonly status: RuntimeStatus; readonly message?: string } {
    const own = this.runtimes.health();
    if (own.status === 'starting') return own;
    const { catalog, invoker, config, info } = this.options;
    const isComing = config.discover && this.runtimes.workers().some(({ state }) => state === 'starting' || state === 'restarting');
    const unserved = unservedSteps(catalog, invoker, ({ application = info.application }) => isComing && application === info.application);
    const messages = [own.message, unserved].filter((text) => text !== undefined);
    return messages.length === 0 ? own : { status: 'degraded', message: messages.join('; ') };
  }
}
