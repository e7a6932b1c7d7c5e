import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  bind, type Binding, Catalog, type DrainContext, EngineInfo, EngineLog, Health, HttpMiddleware, HttpPort, Inject, InjectConfig, Invoker, isLoopback, type Lifecycle,
  type LogSink, Module, type ModuleContext, type ReconfigureContext, type StepRecord, Telemetry, treadleError, type TriggerRecord, type TriggerRef, Triggers,
  type Unsubscribe, type UpgradeHandler,
} from '@treadle/api';
import { CheckThread } from '@treadle/json';
import { AccessLog, type AccessLogOptions } from './telemetry/access-log.js';
import { DecodingTurns } from './body/decoding-turns.js';
import { BodyBudget } from './body/body-memory.js';
import { type CorsPolicy, corsPolicy } from './response/cors.js';
import { ClientAddress } from './request/client-address.js';
import type { HttpCore } from './request/http-core.js';
import { HttpServers } from './server/http-servers.js';
import { HTTP_TRIGGER_KIND, type HttpTrigger, httpTriggerIssues } from './routing/http-trigger.js';
import { configConflicts, missingFolders } from './config-conflicts.js';
import { HTTP_CONFIG, type HttpConfig } from './http.config.js';
import { HTTP_EMITS, HttpTelemetry } from './telemetry/http-telemetry.js';
import { KoaBridge } from './koa/koa-bridge.js';
import type { Middleware } from './koa/koa-types.js';
import { Admission, type AdmissionLimits } from './request/admission.js';
import { HEALTH_PATH } from './routing/health-path.js';
import { openApiAnswer } from './openapi/openapi-answer.js';
import { admit, RequestHandler } from './request/request-handler.js';
import { parseRoutePath } from './routing/route-grammar.js';
import { RouteTable } from './routing/route-table.js';
import { StaticFiles } from './static/static-files.js';
import { Upgrades } from './server/upgrades.js';
import { type AnyRoute, stepRoute, type StepRoute } from './routing/step-route.js';
import { Unmatched } from './routing/unmatched.js';

interface Running {
  core: HttpCore;
  readonly handler: RequestHandler;
  readonly servers: HttpServers;
  readonly unbind: Unsubscribe;
}

/** Answers HTTP requests with Steps: one server, one route table. */
@Module<HttpConfig>({
  id: 'modules::http::HttpModule',
  aliases: ['modules::api::RestApiModule'],
  summary: 'HTTP server for http triggers, with health, CORS, static files and overload protection',
  stability: 'beta',
  since: '0.1.0',
  config: HTTP_CONFIG,
  provides: [HttpPort],
  triggerKinds: [HTTP_TRIGGER_KIND],
  conflicts: configConflicts,
  check: missingFolders,
  emits: HTTP_EMITS,
})
export class HttpModule implements Lifecycle, HttpPort {
  private readonly table = new RouteTable<AnyRoute>();
  private readonly routes = new Map<string, StepRoute>();
  private readonly ownRoutes: { method: string; path: string; handle: Middleware }[] = [];
  private readonly upgrades = new Upgrades();
  private cors: CorsPolicy | undefined;
  private files: StaticFiles | undefined;
  private koa: KoaBridge | undefined;
  private running: Running | undefined;

  // eslint-disable-next-line max-params -- one parameter a dependency is how injection works
  constructor(
    @Inject(Catalog) private readonly catalog: Catalog,
    @Inject(Triggers) private readonly triggers: Triggers,
    @Inject(Invoker) private readonly invoker: Invoker,
    @Inject(EngineInfo) private readonly engine: EngineInfo,
    @Inject(Health) private readonly health: Health,
    @Inject(EngineLog) private readonly sink: LogSink,
    @Inject(HttpMiddleware, { optional: true }) private readonly middleware: readonly HttpMiddleware[] | undefined,
    @InjectConfig() private config: HttpConfig,
    @Inject(Telemetry, { optional: true }) private readonly telemetry?: Telemetry,
  ) {}

  get address(): string | undefined {
    return this.running?.servers.address;
  }

  ports(): Binding[] {
    return [bind(HttpPort, this)];
  }

  /** Adds an engine route: exact paths only, before every Step. */
  route(method: string, path: string, handle: (request: IncomingMessage, response: ServerResponse) => void): void {
    this.addEngineRoute(method, path, (context) => {
      context.respond = false;
      context.res.statusCode = 200;
      handle(context.req, context.res);
    });
  }

  upgrade(path: string, handle: UpgradeHandler): Unsubscribe {
    return this.upgrades.add(path, handle);
  }

  clientAddress(request: IncomingMessage): string {
    return (this.running?.core.clients ?? new ClientAddress(this.config.trust_proxy)).of(request);
  }

  async init(context: ModuleContext): Promise<void> {
    const { path, at } = context.instance;
    for (const { key, ...conflict } of configConflicts(this.config)) {
      throw treadleError('CONFIG_CONFLICT', { path: `${path}.config.${key}`, ...conflict }, { at });
    }
    this.cors = this.config.cors && corsPolicy(this.config.cors);
    this.files = await this.openFiles(this.config, context);
    this.addEngineRoute('GET', HEALTH_PATH, (koa) => {
      const report = this.health.report();
      koa.status = report.status === 'ok' || report.status === 'degraded' ? 200 : 503;
      koa.set('cache-control', 'no-store');
      koa.body = report;
    });
  }

  async start(context: ModuleContext): Promise<void> {
    const core = this.makeCore(context);
    const koa = this.koa = new KoaBridge({
      middleware: this.middleware ?? [], log: context.log, toStep: admit, unmatched: (exchange) => unmatched.unclaimed(exchange),
    });
    for (const { method, path, handle } of this.ownRoutes) koa.route(method, path, handle);
    const openApi = core.development ? openApiAnswer(this.engine, () => this.catalog.steps()) : undefined;
    const unmatched = new Unmatched({ table: this.table, koa, files: this.files, openApi });
    const handler = new RequestHandler(core, { table: this.table, koa, unmatched });
    const { onRequest, onExpectation } = handler;
    const servers = new HttpServers({
      clock: context.clock, log: context.log, path: `${context.instance.path}.config`, onRequest, onExpectation, upgrades: this.upgrades,
      onRefused: (status) => core.telemetry?.refused(status),
    }, this.config);
    const unbind = this.triggers.bind('http', { bind: this.bindTrigger, unbind: this.unbindTrigger });
    this.running = { core, handler, servers, unbind };
    await servers.listen();
    core.admission.start();
    this.engine.announce('http', servers.address as string);
  }

  /** Requests under way end as they began, on the connections where they came. All that can fail comes first. */
  async reconfigure(config: HttpConfig, context: ReconfigureContext): Promise<void> {
    const { running } = this;
    if (!running) return;
    const cors = config.cors && corsPolicy(config.cors);
    const files = await this.openFiles(config, context);
    const { address } = running.servers;
    await running.servers.reconfigure(config, context);
    if (running.servers.address !== address) this.engine.announce('http', running.servers.address as string);
    [this.config, this.cors, this.files] = [config, cors, files];
    const { core } = running;
    core.admission.setLimits(admissionLimits(config));
    core.budget.maxBytes = config.max_buffered_bytes;
    core.answers.maxBytes = config.max_buffered_answer_bytes;
    const clients = new ClientAddress(config.trust_proxy);
    const accessLog = this.accessLog(config, { clock: context.clock, clients });
    running.core = { ...core, config, cors, clients, showExceptions: this.showsExceptions(config), accessLog };
    running.handler.goOver(running.core, files);
    for (const [id, route] of this.routes) this.replaceRoute(id, route, route.again({ config, cors }));
  }

  async drain(context: DrainContext): Promise<void> {
    const { running } = this;
    if (!running) return;
    for (const exchange of running.core.eventStreams) exchange.endStream();
    await running.servers.drain(context.signal);
  }

  async stop(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    running?.unbind();
    running?.core.admission.stop();
    running?.core.telemetry?.close();
    await running?.servers.close();
  }

  private makeCore({ clock }: ModuleContext): HttpCore {
    const { config, invoker, health, sink } = this;
    const admission = new Admission({ clock, ...admissionLimits(config) });
    const clients = new ClientAddress(config.trust_proxy);
    return {
      config, invoker, health, sink, service: this.engine.application, clock, admission, budget: new BodyBudget(config.max_buffered_bytes),
      answers: new BodyBudget(config.max_buffered_answer_bytes), decodingTurns: new DecodingTurns(), checkThread: CheckThread.shared,
      clients, cors: this.cors,
      development: this.engine.mode === 'development', showExceptions: this.showsExceptions(config), accessLog: this.accessLog(config, { clock, clients }),
      eventStreams: new Set(), telemetry: this.telemetry && new HttpTelemetry(this.telemetry, clock),
    };
  }

  private showsExceptions({ debug = this.engine.mode === 'development', host }: HttpConfig): boolean {
    return debug && isLoopback(host);
  }

  private accessLog({ access_log: wanted = this.engine.mode === 'development' }: HttpConfig, parts: Pick<AccessLogOptions, 'clock' | 'clients'>): AccessLog | undefined {
    return wanted ? new AccessLog({ sink: this.sink, service: this.engine.application, ...parts }) : undefined;
  }

  private async openFiles({ static: mounts = [] }: HttpConfig, { instance }: ModuleContext): Promise<StaticFiles | undefined> {
    return mounts.length > 0 ? StaticFiles.open(mounts, this.engine.root, `${instance.path}.config`) : undefined;
  }

  private replaceRoute(id: string, former: StepRoute, route: StepRoute): void {
    this.table.remove(former.method, former.path, former);
    this.table.add(route.method, route.path, route);
    this.routes.set(id, route);
  }

  private addEngineRoute(method: string, path: string, handle: Middleware): void {
    const parsed = parseRoutePath(path);
    if ('fault' in parsed || parsed.names.length > 0) throw new Error(`an engine route needs an exact path: ${path}`);
    this.ownRoutes.push({ method, path, handle });
    this.koa?.route(method, path, handle);
    this.table.add(method, parsed, { kind: 'engine' });
  }

  private readonly bindTrigger = (step: StepRecord, trigger: TriggerRecord, ref: TriggerRef): void => {
    const fault = httpTriggerIssues(trigger).find(({ severity }) => severity !== 'warning');
    if (fault) throw new Error(fault.message);
    const http = trigger as HttpTrigger;
    const path = parseRoutePath(http.path);
    if ('fault' in path) throw new Error(path.fault);
    this.refuseTaken(http, path.shape);
    const route = stepRoute(step, http, { ref, path }, { config: this.config, cors: this.cors });
    this.routes.set(routeId(step, ref), route);
    this.table.add(http.method, path, route);
  };

  private readonly unbindTrigger = (step: StepRecord, _trigger: TriggerRecord, ref: TriggerRef): void => {
    const id = routeId(step, ref);
    const route = this.routes.get(id);
    this.routes.delete(id);
    if (route) this.table.remove(route.method, route.path, route);
  };

  private refuseTaken(trigger: HttpTrigger, shape: string): void {
    if (this.ownRoutes.some(({ path }) => path === shape)) throw new Error(`${trigger.path} is answered by the engine`);
    const path = parseRoutePath(trigger.path);
    const holder = 'fault' in path ? undefined : this.table.taken(trigger.method, path);
    if (holder?.kind !== 'step') return;
    throw new Error(`${trigger.method} ${trigger.path} is already served by Step "${holder.step.id}" (${holder.step.file})`);
  }
}

function routeId(step: StepRecord, ref: TriggerRef): string {
  return `${ref.index} ${step.id}`;
}

function admissionLimits(config: HttpConfig): AdmissionLimits {
  return {
    limit: config.concurrency_request_limit, waiting: config.waiting_request_limit, waitMs: config.wait_timeout_ms,
    maxDelayMs: config.max_event_loop_delay_ms,
  };
}

