import {
  bind, type Binding, EngineInfo, Inject, InjectAdapter, type Lifecycle, Module, type ModuleContext, Operations, OperationSpans, QueuePort, type StateAdapter, StatePort,
  StateSlot, Telemetry, type Unsubscribe,
} from '@treadle/api';
import { atomicState } from './atomic-state.js';
import { addExpiryRoutes } from './expiry-routes.js';
import { addHistoryRoutes } from './history-routes.js';
import { addSearchRoutes } from './search-routes.js';
import { StateChanges } from './state-changes.js';
import { type AtomicStates, STATE_OPERATIONS, stateOperations } from './state-operations.js';
import { addStateRoutes } from './state-routes.js';
import { StateHistory } from './state-history.js';
import { StateService } from './state-service.js';
import { STATE_EMITS, stateMetrics } from './state-telemetry.js';
import { STATE_CONFIG, type StateConfig } from './state.config.js';

/** Key-value state for Steps (`ctx.state`) and modules (`engine.StatePort`). */
@Module<StateConfig>({
  id: 'modules::state::StateModule',
  summary: 'Key-value state by group and key, with atomic updates, listing and time to live',
  stability: 'beta',
  since: '0.1.0',
  config: STATE_CONFIG,
  provides: [StatePort],
  slots: { adapter: { slot: StateSlot, default: 'modules::state::adapters::Sqlite' } },
  operations: STATE_OPERATIONS,
  emits: STATE_EMITS,
})
export class StateModule implements Lifecycle {
  private readonly service: StateService;
  private readonly changes: StateChanges;
  private bound: readonly Unsubscribe[] = [];

  // eslint-disable-next-line max-params -- one parameter a dependency is how injection works
  constructor(
    @Inject(Operations) private readonly operations: Operations, @InjectAdapter('adapter') private readonly adapter: StateAdapter,
    @Inject(EngineInfo) private readonly engine: EngineInfo,
    @Inject(QueuePort, { optional: true }) private readonly queue?: QueuePort,
    @Inject(Telemetry, { optional: true }) private readonly telemetry?: Telemetry,
  ) {
    this.changes = new StateChanges(adapter, telemetry);
    this.service = new StateService(adapter, this.changes);
  }

  ports(): Binding[] {
    return [bind(StatePort, this.service)];
  }

  /** In init, so that modules that need the port may use it in their start. */
  async init(context: ModuleContext): Promise<void> {
    if (this.queue) this.changes.attach(this.queue);
    this.service.open(context.clock);
    const { telemetry } = this;
    const observer = telemetry && stateMetrics(telemetry);
    this.service.observer = observer;
    const spans = telemetry && new OperationSpans(telemetry, context.clock);
    const history = new StateHistory(context.clock);
    const { adapter, changes } = this;
    const atomic: AtomicStates = (run, { request: { step, traceId } }) => atomicState(run, { adapter, changes, clock: context.clock, history, observer, step, traceId });
    this.bound = stateOperations(this.service, spans, atomic).map(([name, operation]) => this.operations.bind(name, operation));
    if (this.engine.mode === 'development') history.begin();
    this.service.history = history;
    addStateRoutes(context.admin, this.service);
    addSearchRoutes(context.admin, this.service);
    addExpiryRoutes(context.admin, this.service, context.clock);
    addHistoryRoutes(context.admin, this.service, history);
  }

  async stop(): Promise<void> {
    for (const unbind of this.bound) unbind();
    this.bound = [];
    // The admin routes are there until this has resolved.
    this.service.close();
    await this.changes.close();
  }
}
