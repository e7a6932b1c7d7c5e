import {
  type CounterSeries, type GaugeOptions, type HistogramSeries, type InstrumentOptions, type Labels, type LogRecord, NO_TRACE, type SpanRecord, type Telemetry, type Unsubscribe,
} from '@treadle/api';
import type { OtelConfig } from './otel.config.js';
import { safeLog } from './redaction/safe-fields.js';
import { samplerOf } from './sampling.js';
import { isKept, type TelemetryStore } from './telemetry-store.js';

/** Where spans and log records go besides the memory. */
export interface ExportSink {
  readonly spans?: { add(span: SpanRecord): void } | undefined;
  readonly logs?: { add(record: LogRecord): void } | undefined;
}

/** The port over the store and the exporter. */
export class OtelService implements Telemetry {
  tracing = false;
  metrics = false;
  private sampler: (traceId: string) => boolean = samplerOf(0);
  private exported: ExportSink = {};
  private keepsSpans = false;
  private keepsLogs = false;
  private samplesLog: (traceId: string) => boolean = samplerOf(0);
  /** Of records outside of traces; a whole one is a record that counts. */
  private logShare = 0;

  /** @param config a reload may change its members: `configChanged` is called then */
  constructor(private readonly config: OtelConfig, private readonly store: TelemetryStore) {
    this.configChanged();
  }

  /** Goes over to what the config says now. */
  configChanged(): void {
    const { enabled, exporter, sampling_ratio, metrics_enabled, logs_enabled, logs_exporter, logs_sampling_ratio } = this.config;
    this.tracing = enabled && exporter !== 'none' && sampling_ratio > 0;
    this.metrics = enabled && metrics_enabled;
    this.sampler = samplerOf(this.tracing ? sampling_ratio : 0);
    this.samplesLog = samplerOf(logs_sampling_ratio);
    this.keepsSpans = this.tracing && isKept(exporter);
    this.keepsLogs = enabled && logs_enabled && isKept(logs_exporter);
  }

  samples(traceId: string): boolean {
    return this.sampler(traceId);
  }

  /** From now on spans and records go there, too. */
  exportTo(sink: ExportSink): void {
    this.exported = sink;
  }

  span(span: SpanRecord): void {
    if (this.keepsSpans) this.store.spans.add(span);
    this.exported.spans?.add(span);
  }

  /** A real one also while metrics are off: its holder keeps it for the time when they are on. */
  counter(name: string, labels: Labels, options: InstrumentOptions): CounterSeries {
    return this.store.registry.counter(name, labels, options);
  }

  histogram(name: string, labels: Labels, options: InstrumentOptions): HistogramSeries {
    return this.store.registry.histogram(name, labels, options);
  }

  gauge(name: string, options: GaugeOptions): Unsubscribe {
    return this.store.registry.gauge(name, options);
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
