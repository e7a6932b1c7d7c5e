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
  const families = new Map<string, PrometheusFamily>();
  // Whoever else would be called so has another kind, or samples that are another one's.
  const taken = new Map<string, string>([[TARGET_INFO.name, '']]);
  for (const reading of readings) {
    const name = prometheusName(reading);
    if (name === '' || reading.series.length === 0) continue;
    const names = reading.kind === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
    const family = families.get(name) ?? { name, kind: reading.kind, description: reading.description, samples: new Map<string, number>() };
    if (family.kind !== reading.kind || names.some((each) => (taken.get(each) ?? name) !== name)) continue;
    for (const each of names) taken.set(each, name);
    families.set(name, family);
    addSamples(family, reading);
  }
  return [targetInfo(resource), ...[...families.values()].map(familyText)].join('');
}

/** What one or several metrics are together whose names are the same here. */
interface PrometheusFamily {
  readonly name: string;
  readonly kind: MetricReading['kind'];
  readonly description: string;
  /** Values by name and labels as they are written. */
  readonly samples: Map<string, number>;
}

const TARGET_INFO = { name: 'target_info', kind: 'gauge', description: 'The engine that these metrics are of' } as const;

/** Who tells all this. @source OpenTelemetry, Prometheus compatibility, "Resource Attributes" */
function targetInfo(resource: Labels): string {
  const labels = labelText(labelPairs(resource));
  return labels === '' ? '' : familyText({ ...TARGET_INFO, samples: new Map([[`${TARGET_INFO.name}${labels}`, 1]]) });
}

/** e.g. `http.server.request.duration` in seconds → `http_server_request_duration_seconds`. */
function prometheusName({ name, unit, kind }: Pick<MetricReading, 'name' | 'unit' | 'kind'>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_:]/g, '_').replace(/^(?=\d)/, '_');
  const suffix = unit === '1' && kind === 'gauge' ? 'ratio' : UNITS[unit];
  const withUnit = suffix === undefined || plain.endsWith(`_${suffix}`) ? plain : `${plain}_${suffix}`;
  return kind === 'counter' && !withUnit.endsWith('_total') ? `${withUnit}_total` : withUnit;
}

function familyText({ name, kind, description, samples }: PrometheusFamily): string {
  const lines = [...samples].map(([sample, value]) => `${sample} ${value}`);
  return [`# HELP ${name} ${escapeHelp(description)}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n');
}

/** Series whose labels are the same here are one: their counts are added, and of gauges the last one counts. */
function addSamples({ name, kind, samples }: PrometheusFamily, reading: MetricReading): void {
  const add = (sample: string, value: number): void => void samples.set(sample, kind === 'gauge' ? value : (samples.get(sample) ?? 0) + value);
  if (reading.kind === 'histogram') for (const series of reading.series) addHistogram(name, series, add);
  else for (const { labels, value } of reading.series) add(`${name}${labelText(labelPairs(labels))}`, value);
}

function addHistogram(name: string, { labels, count, sum, counts }: Histogram, add: (sample: string, value: number) => void): void {
  const own = labelPairs(labels, BOUND);
  const bucket = (bound: string): string => `${name}_bucket${labelText([...own, [BOUND, bound]])}`;
  let upTo = 0;
  BOUNDARIES.forEach((bound, at) => add(bucket(String(bound)), upTo += counts[at] as number));
  add(bucket('+Inf'), count);
  add(`${name}_sum${labelText(own)}`, sum);
  add(`${name}_count${labelText(own)}`, count);
}

/** The label of the buckets of histograms. */
const BOUND = 'le';

type LabelPair = readonly [name: string, value: string];

function labelText(pairs: readonly LabelPair[]): string {
  return pairs.length === 0 ? '' : `{${pairs.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(',')}}`;
}

/** Values of names that are the same here are joined in the order of their own names; a reserved name gets another beginning. @source OpenTelemetry, Prometheus compatibility, "Metric Attributes" */
function labelPairs(labels: Labels, reserved?: string): readonly LabelPair[] {
  const values = new Map<string, (readonly [key: string, value: string])[]>();
  for (const [key, value] of Object.entries(labels)) {
    const plain = labelName(key);
    const name = plain === reserved ? `exported_${plain}` : plain;
    if (name !== '') values.set(name, [...values.get(name) ?? [], [key, String(value)]]);
  }
  return [...values].map(([name, all]) => [name, all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value).join(';')]);
}

/** Two underscores in front are Prometheus' own. Empty for an empty name, which is left out. */
function labelName(key: string): string {
  return key.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_').replace(/^__+/, '_');
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
