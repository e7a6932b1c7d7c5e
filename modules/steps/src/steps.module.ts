import {
  bind, type Binding, type Diagnostic, type DrainContext, EngineInfo, Health, Inject, InjectAdapters, InjectConfig, type Lifecycle,
  Module, type ModuleContext, type RuntimeAdapter, RuntimeSlot, type RuntimeWorker, type SessionInfo, StepHub,
  type StepRecord, StepsPort, type StopContext, type Unsubscribe, type WorkerCrash,
} from '@treadle/api';
import { StepsService } from './steps-service.js';
import { StepsConfig } from './steps.config.js';

/** Finds Steps, lets their processes in, says what is wrong with them and publishes the catalog. */
@Module<StepsConfig>({
  id: 'modules::steps::StepsModule',
  summary: 'Discovers Step files, runs them in worker processes and publishes the catalog.',
  stability: 'beta',
  since: '0.1.0',
  config: StepsConfig,
  provides: [StepsPort],
  slots: { runtimes: { slot: RuntimeSlot, many: true, optional: true, default: 'modules::runtime::adapters::Node' } },
})
export class StepsModule implements Lifecycle, StepsPort {
  private service: StepsService | undefined;
  private readonly listeners = new Set<() => void>();

  // eslint-disable-next-line max-params -- one for each thing that is injected
  constructor(
    @InjectConfig() private readonly config: StepsConfig,
    @InjectAdapters('runtimes') private readonly adapters: readonly RuntimeAdapter[],
    @Inject(StepHub) private readonly hub: StepHub,
    @Inject(EngineInfo) private readonly info: EngineInfo,
    @Inject(Health) private readonly health: Health,
  ) {}

  ports(): Binding[] {
    return [bind(StepsPort, this)];
  }

  async init(context: ModuleContext): Promise<void> {
    const { config, adapters, hub, info, health } = this;
    this.service = new StepsService({ config, runtimes: adapters, hub, info, health, context });
    this.service.catalog.onChange(() => {
      for (const listener of this.listeners) listener();
    });
    await this.service.open();
  }

  async start(): Promise<void> {
    await this.service?.listen();
  }

  async drain(context: DrainContext): Promise<void> {
    await this.service?.drain(context);
  }

  async stop(context: StopContext): Promise<void> {
    const { service } = this;
    this.service = undefined;
    await service?.close(context.signal.aborted);
  }

  steps(): readonly StepRecord[] {
    return this.hub.steps();
  }

  diagnostics(): readonly Diagnostic[] {
    return this.service?.catalog.diagnostics ?? [];
  }

  sessions(): readonly SessionInfo[] {
    return this.service?.sessionList() ?? [];
  }

  workers(): readonly RuntimeWorker[] {
    return this.service?.runtimes.workers() ?? [];
  }

  crashes(): readonly WorkerCrash[] {
    return this.service?.runtimes.crashes ?? [];
  }

  onChange(listener: () => void): Unsubscribe {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
