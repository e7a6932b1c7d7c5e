import {
  bind, type Binding, type CheckedSurroundings, type ConfigConflict, EngineInfo, EngineLog, Inject, InjectConfig, type Labels, type Lifecycle, LiveConfig, type LogSink, Module, type ModuleContext,
  type ReconfigureContext, type StopContext,
  Telemetry, type Unsubscribe,
} from '@treadle/api';
import { addLogRoutes } from './admin/log-routes.js';
import { addMetricRoutes } from './admin/metric-routes.js';
import { RecordingNotes } from './admin/recording-notes.js';
import { addTraceRoutes } from './admin/trace-routes.js';
import { otelEnvironment, resourceOfEnvironment } from './environment.js';
import { isSent, type OtlpExport } from './export/otlp-export.js';
import { addProcessGauges } from './metrics/process-gauges.js';
import { OTEL_CONFIG, otelConflicts, type OtelConfig } from './otel.config.js';
import { OtelService } from './otel-service.js';
import { resourceAttributes } from './resource.js';
import { TelemetryStore } from './telemetry-store.js';

/** Where errors of variables are said to be. */
const PATH = 'modules::observability::OtelModule';
const TICK_MS = 10_000;
/** Most that the end of an engine waits for a collector. */
const LAST_SEND_MS = 2000;

/** Traces, metrics and the log: kept in memory, sent by OTLP, or both. */
@Module<OtelConfig>({
  id: 'modules::observability::OtelModule',
  summary: 'Traces, metrics and logs, kept in memory and sent by OTLP',
  stability: 'beta',
  since: '0.1.0',
  config: OTEL_CONFIG,
  conflicts: otelConflicts,
  check: checkEnvironment,
  provides: [Telemetry],
})
export class OtelModule implements Lifecycle {
  private readonly settings: LiveConfig<OtelConfig>;
  private readonly store: TelemetryStore;
  private readonly service: OtelService;
  private exported: OtlpExport | undefined;
  private releases: Unsubscribe[] = [];
  /** Each gives a former property of the log back. */
  private logShape: Unsubscribe[] = [];
  private begun = false;

  constructor(
    @InjectConfig() config: OtelConfig, @Inject(EngineLog) private readonly sink: LogSink, @Inject(EngineInfo) private readonly info: EngineInfo,
  ) {
    this.settings = new LiveConfig(config);
    this.store = new TelemetryStore(this.settings.now);
    this.service = new OtelService(this.settings.now, this.store);
  }

  ports(): Binding[] {
    return [bind(Telemetry, this.service)];
  }

  /** In init, so that what other modules say in their start is kept. */
  async init(context: ModuleContext): Promise<void> {
    this.store.begin(context.clock);
    if (context.former instanceof TelemetryStore) this.store.adopt(context.former);
    this.begun = true;
    this.addRoutes(context);
    this.shapeLog();
    this.exported = await this.openExport(this.settings.now, context);
    this.service.exportTo(this.exported ?? {});
    this.keepLog();
    this.releases.push(addProcessGauges(this.store.registry), this.store.registry.gauge('treadle.log.dropped', {
      description: 'Log lines that were dropped because nobody read the output of the engine', unit: '{line}',
      read: () => [{ value: this.sink.dropped ?? 0, labels: {} }],
    }));
  }

  async start({ clock }: ModuleContext): Promise<void> {
    const timer = clock.every(TICK_MS, () => this.store.tick(clock));
    this.releases.push(() => timer.cancel());
  }

  /** Nobody who reports here notices. What waits for the former exporter is sent by it. All that can fail comes first. */
  async reconfigure(config: OtelConfig, context: ReconfigureContext): Promise<void> {
    const next = await this.openExport(config, context);
    const former = this.exported;
    this.settings.set(config);
    this.store.configChanged();
    this.service.configChanged();
    this.exported = next;
    this.service.exportTo(next ?? {});
    this.shapeLog();
    await former?.close(AbortSignal.any([context.signal, AbortSignal.timeout(LAST_SEND_MS)]));
  }

  async stop({ signal }: StopContext): Promise<void> {
    for (const release of [...this.releases.splice(0), ...this.logShape.splice(0)].reverse()) release();
    const { exported } = this;
    this.exported = undefined;
    this.service.exportTo({});
    await exported?.close(AbortSignal.any([signal, AbortSignal.timeout(LAST_SEND_MS)]));
  }

  /** What was kept, for the one that a reload puts in this place. */
  handOver(): TelemetryStore | undefined {
    return this.begun ? this.store : undefined;
  }

  private addRoutes({ admin, clock }: ModuleContext): void {
    const notes = new RecordingNotes(this.settings.now, this.store, (traceId) => this.service.samples(traceId));
    const ofEnvironment = resourceOfEnvironment(this.info.env);
    const resource = (): Labels => resourceAttributes(this.settings.now, this.info, ofEnvironment);
    addTraceRoutes(admin, this.store, { notes, clock, resource });
    addLogRoutes(admin, this.store, { notes, clock });
    addMetricRoutes(admin, this.store, { clock, notes, resource });
  }

  /** As the config says now, whatever it was before. */
  private shapeLog(): void {
    for (const release of this.logShape.splice(0).reverse()) release();
    const { level, format, service_name: service } = this.settings.now;
    const undo = [
      level === undefined ? undefined : this.sink.setLevel?.(level), format === undefined ? undefined : this.sink.setFormat?.(format),
      service === undefined ? undefined : this.sink.setService?.(service),
    ];
    this.logShape = undo.filter((release) => release !== undefined);
  }

  private keepLog(): void {
    const release = this.sink.tap?.((record) => this.service.log(record));
    if (release) this.releases.push(release);
  }

  private async openExport(config: OtelConfig, { log, clock }: ModuleContext): Promise<OtlpExport | undefined> {
    if (!sendsAnything(config)) return undefined;
    const env = otelEnvironment(this.info.env, PATH);
    const { OtlpExport: Export } = await import('./export/otlp-export.js');
    // A copy: what is sent by this one goes by the config that it was made for.
    return new Export({ config: { ...config }, env, teller: this.info, registry: this.store.registry, log, clock });
  }
}

function sendsAnything({ enabled, exporter, metrics_exporter: metrics, logs_exporter: logs }: OtelConfig): boolean {
  return enabled && [exporter, metrics, logs].some(isSent);
}

/** @throws {CONFIG_BAD_ENV} */
async function checkEnvironment(config: OtelConfig, { env }: CheckedSurroundings): Promise<readonly ConfigConflict[]> {
  if (sendsAnything(config)) otelEnvironment(env, PATH);
  return Promise.resolve([]);
}
