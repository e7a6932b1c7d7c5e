import type { Labels } from '@treadle/api';
import type { MetricReading } from './metric-registry.js';
import { BOUNDARIES, type Histogram } from './series.js';

const UNITS: Readonly<Record<string, string>> = { s: 'seconds', ms: 'milliseconds', By: 'bytes', '%': 'percent' };

/** Content type of the text. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * The metrics in Prometheus' text format. Not by `@opentelemetry/exporter-prometheus`: loading it takes the engine 0.1 s and 15 MB at the first
 * scrape, and its names lack the unit; `prom-client` writes only what it has counted itself.
 *
 * Names follow OpenTelemetry's rules: dots become underscores, the unit is added (`_seconds`), counters end with `_total`.
 * @param resource what becomes `target_info`
 */
export function prometheusText(readings: readonly MetricReading[], resource: Labels = {}): string {
  const metrics = readings.filter(({ series }) => series.length > 0).map(metricText).join('');
  return `${targetInfo(resource)}${metrics}`;
}

/** Who tells all this. @source OpenTelemetry, Prometheus compatibility, "Resource Attributes" */
function targetInfo(resource: Labels): string {
  if (Object.keys(resource).length === 0) return '';
  return `# HELP target_info The engine that these metrics are of\n# TYPE target_info gauge\ntarget_info${labelText(resource)} 1\n`;
}

/** e.g. `http.server.request.duration` in seconds → `http_server_request_duration_seconds`. */
function prometheusName({ name, unit, kind }: Pick<MetricReading, 'name' | 'unit' | 'kind'>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_:]/g, '_').replace(/^(?=\d)/, '_');
  const suffix = unit === '1' && kind === 'gauge' ? 'ratio' : UNITS[unit];
  const withUnit = suffix === undefined || plain.endsWith(`_${suffix}`) ? plain : `${plain}_${suffix}`;
  return kind === 'counter' && !withUnit.endsWith('_total') ? `${withUnit}_total` : withUnit;
}

function metricText(reading: MetricReading): string {
  const name = prometheusName(reading);
  const lines = reading.kind === 'histogram'
    ? reading.series.flatMap((series) => histogramLines(name, series))
    : reading.series.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`);
  return [`# HELP ${name} ${escapeHelp(reading.description)}`, `# TYPE ${name} ${reading.kind}`, ...lines, ''].join('\n');
}

function histogramLines(name: string, { labels, count, sum, counts }: Histogram): readonly string[] {
  let upTo = 0;
  const buckets = BOUNDARIES.map((bound, at) => {
    upTo += counts[at] as number;
    return `${name}_bucket${labelText({ ...labels, le: String(bound) })} ${upTo}`;
  });
  return [...buckets, `${name}_bucket${labelText({ ...labels, le: '+Inf' })} ${count}`, `${name}_sum${labelText(labels)} ${sum}`, `${name}_count${labelText(labels)} ${count}`];
}

function labelText(labels: Labels): string {
  const entries = Object.entries(labels);
  if (entries.length === 0) return '';
  return `{${entries.map(([key, value]) => `${key.replaceAll(/[^A-Za-z0-9_]/g, '_')}="${escapeLabel(String(value))}"`).join(',')}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
