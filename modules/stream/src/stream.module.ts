import {
  bind, type Binding, Catalog, type DrainContext, EngineInfo, HttpPort, Inject, InjectAdapter, InjectConfig, Invoker, type Lifecycle, LiveConfig, type Logger, Module,
  type ModuleContext, MovingListener, Operations, OperationSpans, QueuePort, type ReconfigureContext, type StreamAdapter, StreamPort, StreamSlot, Telemetry,
  treadleError, Triggers, type Unsubscribe,
} from '@treadle/api';
import { AccessWarnings } from './access/access-warnings.js';
import { atomicStreams } from './atomic-streams.js';
import { Declarations } from './access/declarations.js';
import { Hooks } from './access/hooks.js';
import { ItemJudge } from './access/item-judge.js';
import { Patience } from './access/patience.js';
import { AUTHENTICATION_KIND, DECLARATION_KIND } from './access/stream-kinds.js';
import { Rooms } from './rooms/rooms.js';
import { type Entrance, StreamServer } from './server/stream-server.js';
import { addStreamRoutes } from './stream-admin.js';
import { streamChanges } from './stream-changes.js';
import { STREAM_OPERATIONS, streamOperations } from './stream-operations.js';
import { StreamService } from './stream-service.js';
import { STREAM_EMITS } from './stream-telemetry.js';
import { STREAM_CONFIG, type StreamConfig } from './stream.config.js';

/** Real-time streams: items by group and id that clients follow over WebSocket. */
@Module<StreamConfig>({
  id: 'modules::stream::StreamModule',
  summary: 'Streams of items that clients follow over WebSocket, with access control and resume',
  stability: 'beta',
  since: '0.1.0',
  config: STREAM_CONFIG,
  provides: [StreamPort],
  slots: { adapter: { slot: StreamSlot, default: 'modules::stream::adapters::Sqlite' } },
  triggerKinds: [DECLARATION_KIND, AUTHENTICATION_KIND],
  operations: STREAM_OPERATIONS,
  emits: STREAM_EMITS,
})
export class StreamModule implements Lifecycle {
  private readonly declarations: Declarations;
  private readonly service: StreamService;
  private readonly hooks: Hooks;
  private log: Logger | undefined;
  private rooms: Rooms | undefined;
  private patience: Patience | undefined;
  private entrance: Entrance | undefined;
  private servers: MovingListener<StreamServer> | undefined;
  private readonly settings: LiveConfig<StreamConfig>;
  private bound: readonly Unsubscribe[] = [];

  // eslint-disable-next-line max-params -- one parameter a dependency is how injection works
  constructor(
    @Inject(Catalog) private readonly catalog: Catalog,
    @Inject(Triggers) triggers: Triggers,
    @Inject(Operations) private readonly operations: Operations,
    @Inject(Invoker) private readonly invoker: Invoker,
    @Inject(EngineInfo) private readonly engine: EngineInfo,
    @Inject(QueuePort, { optional: true }) private readonly queue: QueuePort | undefined,
    @InjectAdapter('adapter') private readonly adapter: StreamAdapter,
    @InjectConfig() config: StreamConfig,
    @Inject(Telemetry, { optional: true }) private readonly telemetry?: Telemetry,
    @Inject(HttpPort, { optional: true }) private readonly http?: HttpPort,
  ) {
    this.settings = new LiveConfig(config);
    this.declarations = new Declarations(triggers, catalog);
    this.service = new StreamService(adapter, this.declarations, new ItemJudge(invoker, telemetry), telemetry);
    this.hooks = new Hooks({ catalog, invoker }, this.declarations, () => this.log as Logger, telemetry);
  }

  ports(): Binding[] {
    return [bind(StreamPort, this.service)];
  }

  /** In init, so that modules that need the port may use it in their start. */
  async init(context: ModuleContext): Promise<void> {
    this.log = context.log;
    this.declarations.open();
    this.service.open(context.clock);
    this.service.feed = this.queue?.attachChanges(streamChanges(this.adapter, this.telemetry));
    const spans = this.telemetry && new OperationSpans(this.telemetry, context.clock);
    const { adapter } = this;
    const parts = { adapter, clock: context.clock, serviceOver: (over: StreamAdapter) => this.service.over(over), recorded: () => this.service.feed?.recorded() };
    this.bound = streamOperations(this.service, spans, (run) => atomicStreams(run, parts)).map(([name, operation]) => this.operations.bind(name, operation));
    const { declarations, service } = this;
    addStreamRoutes(context.admin, {
      declarations, service, subscriptions: (stream) => this.rooms?.size(stream) ?? 0, connections: (most) => this.connections(most),
      disconnect: (id) => (this.servers?.all ?? []).some((server) => server.disconnect(id)),
    });
  }

  /** While the address moves there are two servers. */
  private connections(most: number): object {
    const all = (this.servers?.all ?? []).map((server) => server.connections(most));
    return { items: all.flatMap(({ items }) => items).slice(0, most), count: all.reduce((sum, { count }) => sum + count, 0) };
  }

  async start(context: ModuleContext): Promise<void> {
    const { clock } = context;
    const { now } = this.settings;
    this.enter(context);
    const rooms = this.rooms = new Rooms(this.adapter, clock, now);
    const patience = this.patience = new Patience({ catalog: this.catalog, invoker: this.invoker, config: now }, clock);
    const server = this.makeServer(context, { rooms, patience });
    this.servers = new MovingListener(server);
    rooms.open();
    patience.open();
    this.declarations.onAuthentication = server.askAgain;
    await server.listen(this.settings.now);
    this.engine.announce('stream', server.addressAt(this.settings.now.host));
    this.warnOfAccess(context.log);
  }

  /** Clients stay where they are, unless the address is another one: then they are asked to connect again. */
  async reconfigure(config: StreamConfig, context: ReconfigureContext): Promise<void> {
    const { servers, rooms, patience, settings } = this;
    if (!servers || !rooms || !patience) return;
    const { host, port } = settings.now;
    if (this.entrance) config = { ...config, host, port };
    if (config.host !== host || config.port !== port) {
      await servers.moveTo(config, () => this.makeServer(context, { rooms, patience }), context);
      this.engine.announce('stream', servers.current.addressAt(config.host));
      this.declarations.onAuthentication = servers.current.askAgain;
    }
    settings.set(config);
    for (const server of servers.all) server.setPace();
    rooms.optionsChanged();
    this.warnOfAccess(context.log);
  }

  async drain({ signal }: DrainContext): Promise<void> {
    this.patience?.close();
    await Promise.all((this.servers?.all ?? []).map((server) => server.drain(signal)));
  }

  async stop(): Promise<void> {
    const { servers, rooms, service } = this;
    this.declarations.onChange = undefined;
    this.servers = undefined;
    this.rooms = undefined;
    this.patience?.close();
    await Promise.all((servers?.all ?? []).map((server) => server.close()));
    rooms?.close();
    for (const unbind of this.bound) unbind();
    this.bound = [];
    service.close();
    await service.feed?.close();
    this.declarations.close();
  }

  /** With a path: it is the HTTP server's address that others reach or do not. @throws CONFIG_CONFLICT without an HTTP server */
  private enter({ instance }: ModuleContext): void {
    const { now } = this.settings;
    if (now.path === undefined) return;
    const { http } = this;
    if (http?.address === undefined) {
      const problem = 'there is no HTTP server in this configuration';
      throw treadleError('CONFIG_CONFLICT', { path: `${instance.path}.config.path`, problem, hint: 'add modules::http::HttpModule, or leave path out' }, { at: instance.at });
    }
    this.entrance = { http, path: now.path };
    this.settings.set({ ...now, host: new URL(http.address).hostname });
  }

  /** Now, and of what the catalog brings later. */
  private warnOfAccess(log: Logger): void {
    const warnings = new AccessWarnings(this.declarations, this.settings, log);
    warnings.look();
    this.declarations.onChange = warnings.lookSoon;
  }

  private makeServer({ clock, turn, log, instance }: ModuleContext, shared: { readonly rooms: Rooms; readonly patience: Patience }): StreamServer {
    return new StreamServer({ ...shared, config: this.settings.now, entrance: this.entrance, http: this.http, clock, turn, log, hooks: this.hooks, path: `${instance.path}.config` });
  }
}
