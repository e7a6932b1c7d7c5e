import type { OtelConfig } from '../otel.config.js';
import { isKept, type TelemetryStore } from '../telemetry-store.js';

/** Says why something is not there, so that "nothing happened" and "nothing was kept" are told apart. */
export class RecordingNotes {
  /** @param config a reload may change its members */
  constructor(private readonly config: OtelConfig, private readonly store: TelemetryStore, private readonly samples: (traceId: string) => boolean) {}

  /** What limits the list of traces; undefined when all of them are kept. */
  get traces(): string | undefined {
    const { enabled, exporter, sampling_ratio: ratio } = this.config;
    if (!enabled) return OFF;
    if (!isKept(exporter)) return `spans are not kept (exporter: ${exporter})`;
    if (ratio === 0) return 'no trace is recorded (sampling_ratio: 0)';
    return ratio < 1 ? `about ${percent(ratio)} of the traces are recorded (sampling_ratio: ${ratio})` : undefined;
  }

  /** The same for log records. */
  get logs(): string | undefined {
    const { enabled, logs_enabled, logs_exporter: exporter, logs_sampling_ratio: ratio } = this.config;
    if (!enabled) return OFF;
    if (!logs_enabled) return 'log records are not kept (logs_enabled: false)';
    if (!isKept(exporter)) return `log records are not kept (logs_exporter: ${exporter})`;
    return ratio < 1 ? `about ${percent(ratio)} of the log records are kept (logs_sampling_ratio: ${ratio})` : undefined;
  }

  /** Why a trace is not found. */
  whyNot(traceId: string): string {
    if (/^[0-9a-f]{4,31}$/.test(traceId)) return `no trace that is kept begins with "${traceId}"`;
    if (!/^[0-9a-f]{32}$/.test(traceId)) return `"${traceId.slice(0, 64)}" is not a trace id: a trace id has 32 hex digits`;
    const { enabled, exporter, sampling_ratio: ratio } = this.config;
    if (!enabled || !isKept(exporter) || ratio === 0) return `trace ${traceId} is not there: ${this.traces ?? ''}`;
    if (!this.samples(traceId)) return `trace ${traceId} was not recorded, unless its caller asked for it: ${this.traces ?? ''}`;
    const { spans: { evicted, oldest } } = this.store.use();
    if (evicted === 0 || oldest === undefined) return `nothing is known of trace ${traceId}: it has not begun, or none of its spans has ended`;
    return `nothing is kept of trace ${traceId}; ${evicted} spans are evicted, those of ${new Date(oldest).toISOString()} and later are kept`;
  }
}

const OFF = 'telemetry is off (enabled: false)';

function percent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(3))} %`;
}
