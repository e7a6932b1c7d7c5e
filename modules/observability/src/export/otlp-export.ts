import type { resources, logs, metrics, tracing } from '@opentelemetry/sdk-node';
import { type Clock, type Logger, type LogRecord, type SpanRecord, type Timer, untilAborted, wallTime } from '@treadle/api';
import type { OtelEnvironment, Signal } from '../environment.js';
import { logBytes } from '../logs/log-ring.js';
import type { MetricRegistry } from '../metrics/metric-registry.js';
import type { OtelConfig } from '../otel.config.js';
import { resourceAttributes, type Teller } from '../resource.js';
import { SpanSizer } from '../spans/span-size.js';
import { ExportQueue } from './export-queue.js';
import { LossReport } from './loss-report.js';
import { otlpEndpoint, shownEndpoint } from './otlp-endpoint.js';
import { otlpLog } from './otlp-log.js';
import { otlpMetrics } from './otlp-metrics.js';
import { type Exporter, otlpExporter, sdkNode } from './otlp-parts.js';
import { otlpSpan } from './otlp-span.js';

/** What an export is made of. */
export interface OtlpExportOptions {
  readonly config: OtelConfig;
  readonly env: OtelEnvironment;
  readonly teller: Teller;
  readonly registry: MetricRegistry;
  readonly log: Logger;
  readonly clock: Clock;
}

const DROPPED = { description: 'Spans, log records and collections of metrics that did not reach the collector', unit: '{item}' };

/** Sends what a collector shall get. Nothing here waits for it, and what it does not take in time is lost and counted. */
export class OtlpExport {
  readonly spans: ExportQueue<SpanRecord> | undefined;
  readonly logs: ExportQueue<LogRecord> | undefined;
  private readonly resource: resources.Resource;
  private readonly exporters: Exporter<never>[] = [];
  private metricsTimer: Timer | undefined;
  private sendMetrics: (() => Promise<void>) | undefined;

  constructor(private readonly options: OtlpExportOptions) {
    const { config } = options;
    this.resource = resourceOf(options);
    if (isSent(config.exporter) && config.sampling_ratio > 0) this.spans = this.spanQueue();
    if (config.logs_enabled && isSent(config.logs_exporter)) this.logs = this.logQueue();
    if (config.metrics_enabled && isSent(config.metrics_exporter)) this.exportMetrics();
  }

  /** Sends what waits, as far as the signal gives time for it. */
  async close(signal: AbortSignal): Promise<void> {
    this.metricsTimer?.cancel();
    const metricsSent = signal.aborted ? undefined : this.sendMetrics?.();
    await Promise.all([this.spans?.close(signal), this.logs?.close(signal), metricsSent && untilAborted(metricsSent, signal)]);
    // An exporter waits for its running requests, which nobody needs any more when time is up.
    await untilAborted(Promise.allSettled(this.exporters.map((exporter) => exporter.close())), signal);
  }

  private spanQueue(): ExportQueue<SpanRecord> {
    const { exporter, lost } = this.exporter<tracing.ReadableSpan[]>('TRACES');
    const sizer = new SpanSizer();
    return new ExportQueue<SpanRecord>({
      clock: this.options.clock, intervalMs: this.options.config.export_interval_ms, bytesOf: (span) => sizer.bytesOf(span), lost,
      send: (spans) => exporter.send(spans.map((span) => otlpSpan(span, this.resource))),
    });
  }

  private logQueue(): ExportQueue<LogRecord> {
    const { exporter, lost } = this.exporter<logs.ReadableLogRecord[]>('LOGS');
    return new ExportQueue<LogRecord>({
      clock: this.options.clock, intervalMs: this.options.config.export_interval_ms, bytesOf: logBytes, lost,
      send: (records) => exporter.send(records.map((record) => otlpLog(record, this.resource))),
    });
  }

  private exportMetrics(): void {
    const { config, registry, clock } = this.options;
    const { exporter, lost } = this.exporter<metrics.ResourceMetrics>('METRICS');
    let sending: Promise<void> | undefined;
    this.sendMetrics = () => sending ??= exporter.send(otlpMetrics(registry.read(), this.resource, registry.since, wallTime(clock)))
      .catch((error: unknown) => lost(1, error instanceof Error ? error.message : String(error)))
      .finally(() => { sending = undefined; });
    this.metricsTimer = clock.every(config.metrics_export_interval_ms, () => void this.sendMetrics?.());
  }

  private exporter<T>(signal: Signal): { readonly exporter: Exporter<T>; readonly lost: LossReport['lost'] } {
    const { config, env, registry, log, clock } = this.options;
    const endpoint = otlpEndpoint(signal, config, env);
    const exporter = otlpExporter<T>(signal, endpoint);
    this.exporters.push(exporter as Exporter<never>);
    const name = signal.toLowerCase();
    const dropped = registry.counter('telemetry.export.dropped', { signal: name }, DROPPED);
    const report = new LossReport({ signal: name, endpoint: shownEndpoint(endpoint) }, { log, clock, dropped });
    return { exporter, lost: report.lost };
  }
}

/** True when a signal goes to a collector. */
export function isSent(exporter: OtelConfig['exporter']): boolean {
  return exporter === 'otlp' || exporter === 'both';
}

function resourceOf({ config, env, teller }: OtlpExportOptions): resources.Resource {
  const { resources: { defaultResource, resourceFromAttributes } } = sdkNode();
  return defaultResource().merge(resourceFromAttributes({ ...resourceAttributes(config, teller, env.resource) }));
}
