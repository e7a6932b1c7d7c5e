import type {
  CounterSeries, GaugeOptions, HistogramSeries, InstrumentOptions, Labels, LogRecord, SpanRecord, Telemetry, Unsubscribe,
} from '@treadle/api';
import type { OtelConfig } from './otel.config.js';
import { safeLog } from './redaction/safe-fields.js';
import { samplerOf } from './sampling.js';
import { isKept, type TelemetryStore } from './telemetry-store.js';

const NO_TRACE = '0'.repeat(32);
const NOTHING: CounterSeries & HistogramSeries = { add: () => undefined, record: () => undefined };

/** Where spans and log records go besides the memory. */
export interface ExportSink {
  readonly spans?: { add(span: SpanRecord): void } | undefined;
  readonly logs?: { add(record: LogRecord): void } | undefined;
}

/** The port over the store and the exporter. */
export class OtelService implements Telemetry {
  readonly tracing: boolean;
  readonly metrics: boolean;
  readonly samples: (traceId: string) => boolean;
  private exported: ExportSink = {};
  private readonly keepsSpans: boolean;
  private readonly keepsLogs: boolean;
  private readonly samplesLog: (traceId: string) => boolean;
  /** Of records outside of traces; a whole one is a record that counts. */
  private logShare = 0;

  constructor(private readonly config: OtelConfig, private readonly store: TelemetryStore) {
    const { enabled, exporter, sampling_ratio, metrics_enabled, logs_enabled, logs_exporter, logs_sampling_ratio } = config;
    this.tracing = enabled && exporter !== 'none' && sampling_ratio > 0;
    this.metrics = enabled && metrics_enabled;
    this.samples = samplerOf(this.tracing ? sampling_ratio : 0);
    this.samplesLog = samplerOf(logs_sampling_ratio);
    this.keepsSpans = this.tracing && isKept(exporter);
    this.keepsLogs = enabled && logs_enabled && isKept(logs_exporter);
  }

  /** From now on spans and records go there, too. */
  exportTo(sink: ExportSink): void {
    this.exported = sink;
  }

  span(span: SpanRecord): void {
    if (this.keepsSpans) this.store.spans.add(span);
    this.exported.spans?.add(span);
  }

  counter(name: string, labels: Labels, options: InstrumentOptions): CounterSeries {
    return this.metrics ? this.store.registry.counter(name, labels, options) : NOTHING;
  }

  histogram(name: string, labels: Labels, options: InstrumentOptions): HistogramSeries {
    return this.metrics ? this.store.registry.histogram(name, labels, options) : NOTHING;
  }

  gauge(name: string, options: GaugeOptions): Unsubscribe {
    return this.metrics ? this.store.registry.gauge(name, options) : () => undefined;
  }

  log(record: LogRecord): void {
    if (!this.keepsLogs && !this.exported.logs) return;
    if (!this.counts(record)) return;
    const safe = safeLog(record);
    if (this.keepsLogs) this.store.logs.add(safe);
    this.exported.logs?.add(safe);
  }

  private counts({ traceId }: LogRecord): boolean {
    const { logs_sampling_ratio: ratio } = this.config;
    if (ratio >= 1) return true;
    if (traceId !== NO_TRACE) return this.samplesLog(traceId);
    this.logShare += ratio;
    if (this.logShare < 1) return false;
    this.logShare -= 1;
    return true;
  }
}
