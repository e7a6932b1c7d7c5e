import {
  type ApplicationCatalog, bind, type Binding, CatalogWriter, type Diagnostic, type DrainContext, EngineInfo, Health, Inject, InjectAdapters, InjectConfig, Invoker, type Lifecycle,
  Module, type ModuleContext, type RuntimeAdapter, type RuntimeCapabilities, RuntimeSlot, type RuntimeWorker, type SessionInfo, Sessions,
  type StepRecord, StepsPort, type StopContext, Telemetry, Triggers, type Unsubscribe, type WorkerCrash,
} from '@treadle/api';
import { openHostConflicts } from './gateway/remote-endpoint.js';
import { keepTypes } from './development/type-keeper.js';
import { RecordedInputs } from './replay/recorded-inputs.js';
import { addReplayRoutes } from './replay/replay-routes.js';
import { Replays } from './replay/replays.js';
import { StepsService } from './steps-service.js';
import { StepsConfig } from './steps.config.js';
import { reportSteps, STEPS_EMITS, type WorkerFacts } from './telemetry/steps-telemetry.js';

/** One without files gets no process: an application without Python needs none. */
const RUNTIMES = ['modules::runtime::adapters::Node', 'modules::runtime::adapters::Python'] as const;

/** Two runtimes for one language would be two for one file. */
const languagesOf = (capabilities: unknown): readonly string[] => (capabilities as Partial<RuntimeCapabilities>).languages ?? [];

/** Finds Steps, lets their processes in, says what is wrong with them and publishes the catalog. */
@Module<StepsConfig>({
  id: 'modules::steps::StepsModule',
  summary: 'Discovers Step files, runs them in worker processes and publishes the catalog.',
  stability: 'beta',
  since: '0.1.0',
  config: StepsConfig,
  check: openHostConflicts,
  provides: [StepsPort],
  emits: STEPS_EMITS,
  slots: { runtimes: { slot: RuntimeSlot, many: true, optional: true, default: RUNTIMES, exclusive: languagesOf } },
})
export class StepsModule implements Lifecycle, StepsPort {
  private service: StepsService | undefined;
  private readonly listeners = new Set<() => void>();
  private endReports: Unsubscribe | undefined;
  private endTypes: (() => Promise<void>) | undefined;

  // eslint-disable-next-line max-params -- one for each thing that is injected
  constructor(
    @InjectConfig() private readonly config: StepsConfig,
    @InjectAdapters('runtimes') private readonly adapters: readonly RuntimeAdapter[],
    @Inject(CatalogWriter) private readonly catalog: CatalogWriter,
    @Inject(Triggers) private readonly triggers: Triggers,
    @Inject(Invoker) private readonly invoker: Invoker,
    @Inject(Sessions) private readonly attached: Sessions,
    @Inject(EngineInfo) private readonly info: EngineInfo,
    @Inject(Health) private readonly health: Health,
    @Inject(Telemetry, { optional: true }) private readonly telemetry?: Telemetry,
  ) {}

  ports(): Binding[] {
    return [bind(StepsPort, this)];
  }

  async init(context: ModuleContext): Promise<void> {
    const { config, adapters, catalog, triggers, invoker, attached: sessions, info, health, telemetry } = this;
    const service = this.service = new StepsService({ config, runtimes: adapters, catalog, triggers, invoker, sessions, info, health, context });
    service.catalog.onChange(() => {
      for (const listener of this.listeners) listener();
    });
    if (info.mode === 'development' && config.discover) this.endTypes = keepTypes({ steps: this, catalog, info, log: context.log });
    const inputs = telemetry && (config.record_inputs ?? info.mode === 'development') ? new RecordedInputs() : undefined;
    if (telemetry) this.endReports = reportSteps(telemetry, { catalog, sessions, facts: factsOf(this, service), log: context.log, inputs });
    addReplayRoutes(context.admin, telemetry && inputs && new Replays({ inputs, invoker, catalog, telemetry, clock: context.clock }));
    await service.open();
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
    await this.endTypes?.();
    this.endTypes = undefined;
    this.endReports?.();
    this.endReports = undefined;
  }

  steps(): readonly StepRecord[] {
    return this.catalog.steps().filter(isStep);
  }

  applications(): readonly ApplicationCatalog[] {
    return this.service?.catalog.applications() ?? [];
  }

  diagnostics(): readonly Diagnostic[] {
    return this.service?.catalog.diagnostics ?? [];
  }

  sessions(): readonly SessionInfo[] {
    const sessions = this.service?.sessionList() ?? [];
    return sessions.map((session) => ({ ...session, steps: session.steps.filter((id) => isStep(this.catalog.step(id))) }));
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

function factsOf(steps: StepsPort, service: StepsService): WorkerFacts {
  return { sessions: () => steps.sessions(), workers: () => steps.workers(), loopDelays: () => service.loopDelays() };
}

/** Declarations of streams are in the catalog as well. */
function isStep(record: StepRecord | undefined): boolean {
  return (record?.role ?? 'step') === 'step';
}
