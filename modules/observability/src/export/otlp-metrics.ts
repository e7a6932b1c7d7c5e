import type { metrics, resources } from '@opentelemetry/sdk-node';
import type { MetricReading } from '../metrics/metric-registry.js';
import { BOUNDARIES, type Histogram } from '../metrics/series.js';
import { hrTime, type HrTime } from './hr-time.js';
import { SCOPE } from './otlp-span.js';

type MetricData = metrics.ResourceMetrics['scopeMetrics'][number]['metrics'][number];

const CUMULATIVE = 1;
const DOUBLE = 1;

interface Period { readonly startTime: HrTime; readonly endTime: HrTime }

/** All metrics since the start, as exporters of OpenTelemetry take them. `since` and `now` in milliseconds since the epoch; a clock that was set back ends no period before its start. */
export function otlpMetrics(readings: readonly MetricReading[], resource: resources.Resource, since: number, now: number): metrics.ResourceMetrics {
  const period = { startTime: hrTime(since), endTime: hrTime(Math.max(since, now)) };
  const shown = readings.filter(({ series }) => series.length > 0).map((reading) => metricData(reading, period));
  return { resource, scopeMetrics: [{ scope: SCOPE, metrics: shown }] };
}

function metricData(reading: MetricReading, period: Period): MetricData {
  const { name, description, unit } = reading;
  const general = { descriptor: { name, description, unit, valueType: DOUBLE }, aggregationTemporality: CUMULATIVE };
  if (reading.kind === 'histogram') {
    return { ...general, dataPointType: HISTOGRAM, dataPoints: reading.series.map((series) => ({ ...period, attributes: series.labels, value: histogramValue(series) })) } as MetricData;
  }
  const dataPoints = reading.series.map(({ labels, value }) => ({ ...period, attributes: labels, value }));
  if (reading.kind === 'gauge') return { ...general, dataPointType: GAUGE, dataPoints } as MetricData;
  return { ...general, dataPointType: SUM, isMonotonic: true, dataPoints } as MetricData;
}

const HISTOGRAM = 0;
const GAUGE = 2;
const SUM = 3;

function histogramValue({ counts, count, sum }: Histogram): object {
  return { buckets: { boundaries: [...BOUNDARIES], counts: [...counts] }, count, sum };
}
