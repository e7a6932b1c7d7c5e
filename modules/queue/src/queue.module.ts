import {
  type ApplicationCatalog, bind, type Binding, Catalog, type DrainContext, EngineInfo, EngineLog, Inject, InjectAdapter, InjectConfig, Invoker, type Lifecycle,
  type LogSink, Module, type ModuleContext, Operations, type QueueAdapter, type QueueCapabilities, QueuePort, QueueSlot, StepsPort, type StopContext, Telemetry, type TriggerKindBinding,
  Triggers, type Unsubscribe,
} from '@treadle/api';
import { STATE_TRIGGER_KIND, STREAM_TRIGGER_KIND } from './changes/change-trigger.js';
import { DeliveryLog } from './delivery/delivery-log.js';
import { addQueueRoutes } from './admin/queue-admin.js';
import { enqueueOperation, QUEUE_OPERATIONS } from './publishing/queue-operations.js';
import { QueueGate } from './queue-gate.js';
import { type QueueLimits, QueueService } from './queue-service.js';
import { QUEUE_EMITS } from './telemetry/queue-telemetry.js';
import { QUEUE_TRIGGER_KIND } from './subscriptions/queue-trigger.js';
import { QUEUE_CONFIG, type QueueConfig } from './queue.config.js';

const KINDS = [QUEUE_TRIGGER_KIND, STATE_TRIGGER_KIND, STREAM_TRIGGER_KIND];
/** Nothing to do for a single trigger: a Step's subscriptions follow its whole config. */
const BINDING: TriggerKindBinding = { bind: () => undefined, unbind: () => undefined };

/** Durable messages to Steps (`ctx.enqueue`) and from modules (`engine.QueuePort`), and changes to their triggers. */
@Module<QueueConfig>({
  id: 'modules::queue::QueueModule',
  summary: 'Durable messages to Steps, with retries, order, dead letters, and triggers on changes of state and streams',
  stability: 'beta',
  since: '0.1.0',
  config: QUEUE_CONFIG,
  provides: [QueuePort],
  slots: { adapter: { slot: QueueSlot, default: 'modules::queue::adapters::Sqlite' } },
  triggerKinds: KINDS,
  operations: QUEUE_OPERATIONS,
  emits: QUEUE_EMITS,
})
export class QueueModule implements Lifecycle {
  private readonly gate = new QueueGate();
  private service: QueueService | undefined;
  private bound: Unsubscribe[] = [];

  // eslint-disable-next-line max-params -- one parameter a dependency is how injection works
  constructor(
    @Inject(Catalog) private readonly catalog: Catalog,
    @Inject(Triggers) private readonly triggers: Triggers,
    @Inject(Operations) private readonly operations: Operations,
    @Inject(Invoker) private readonly invoker: Invoker,
    @Inject(EngineInfo) private readonly engine: EngineInfo,
    @Inject(StepsPort, { optional: true }) private readonly steps: StepsPort | undefined,
    @InjectAdapter('adapter') private readonly adapter: QueueAdapter,
    @InjectConfig() private readonly config: QueueConfig,
    @Inject(EngineLog) private readonly sink: LogSink,
    @Inject(Telemetry, { optional: true }) private readonly telemetry?: Telemetry,
  ) {}

  ports(): Binding[] {
    return [bind(QueuePort, this.gate)];
  }

  /** In init, so that modules that need the port may use it in theirs. */
  async init(context: ModuleContext): Promise<void> {
    const { clock, turn, log, admin } = context;
    const service = this.service = new QueueService({
      adapter: this.adapter, capabilities: context.capabilities<QueueCapabilities>('adapter'), catalog: this.catalog, kinds: () => this.triggers.kinds(), invoker: this.invoker, clock, turn, log, telemetry: this.telemetry, ...this.limitsOf(this.config),
      failures: new DeliveryLog({ sink: this.sink, service: this.engine.application, clock }),
    });
    await service.open();
    this.gate.open(service);
    this.bound = [this.operations.bind('queue.enqueue', enqueueOperation(service.publisher))];
    addQueueRoutes(admin, { service, adapter: this.adapter, clock, capabilities: context.capabilities<QueueCapabilities>('adapter') ?? {} });
  }

  async start(): Promise<void> {
    const { service, catalog, triggers, steps } = this;
    if (!service) return;
    const follow = (): void => service.follow(this.applications());
    this.bound.push(...KINDS.map(({ type }) => triggers.bind(type, BINDING)), steps ? steps.onChange(follow) : catalog.onChange(follow));
    service.start();
    follow();
  }

  async reconfigure(config: QueueConfig): Promise<void> {
    this.service?.reconfigure(this.limitsOf(config));
    return Promise.resolve();
  }

  async drain(context: DrainContext): Promise<void> {
    await this.service?.drain(context);
  }

  async stop(context: StopContext): Promise<void> {
    for (const unbind of this.bound) unbind();
    this.bound = [];
    const { service } = this;
    this.service = undefined;
    await service?.stop(context.signal);
    this.gate.close();
  }

  private limitsOf({ retire_delay_ms, max_waiting }: QueueConfig): QueueLimits {
    return { maxWaiting: max_waiting, retireDelayMs: this.engine.mode === 'development' ? 0 : retire_delay_ms };
  }

  /** Without a module that knows the applications all Steps are this engine's, and none is known to be gone. */
  private applications(): readonly ApplicationCatalog[] {
    return this.steps?.applications() ?? [{ application: this.engine.application, steps: this.catalog.steps(), complete: false }];
  }
}
