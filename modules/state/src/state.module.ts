import {
  bind, type Binding, Inject, InjectAdapter, type Lifecycle, Module, type ModuleContext, type StateAdapter, StatePort, StateSlot, StepHub,
  type Unsubscribe,
} from '@treadle/api';
import { STATE_OPERATIONS, stateOperations } from './state-operations.js';
import { StateService } from './state-service.js';
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
})
export class StateModule implements Lifecycle {
  private readonly service: StateService;
  private bound: readonly Unsubscribe[] = [];

  constructor(@Inject(StepHub) private readonly hub: StepHub, @InjectAdapter('adapter') adapter: StateAdapter) {
    this.service = new StateService(adapter);
  }

  ports(): Binding[] {
    return [bind(StatePort, this.service)];
  }

  /** In init, so that modules that need the port may use it in their start. */
  async init(context: ModuleContext): Promise<void> {
    this.service.open(context.clock);
    this.bound = stateOperations(this.service).map(([name, operation]) => this.hub.bindOperation(name, operation));
  }

  async stop(): Promise<void> {
    for (const unbind of this.bound) unbind();
    this.bound = [];
  }
}
