import type { Labels, Metric, MetricLines } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { bytes } from '../../format/numbers.js';

/** Lines over common times (seconds since the epoch); null where a line has no point. */
export interface ChartData {
  readonly times: readonly number[];
  readonly lines: readonly { readonly name: string; readonly labels: Labels; readonly values: readonly (number | null)[] }[];
}

type Point = MetricLines['items'][number]['points'][number];

/** What of a metric is drawn. A gauge has itself alone, a counter its rate. */
export type Shown = 'value' | 'rate' | 'p50' | 'p90' | 'p95' | 'p99' | 'mean';
export const OF_HISTOGRAM = ['p50', 'p90', 'p95', 'p99', 'mean', 'rate'] as const;
const QUANTILES: Readonly<Record<string, number>> = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 };

/** What is drawn of a metric: what was chosen, where it has that. */
export function shownOf({ kind }: Pick<Metric, 'kind'>, wanted: string): Shown {
  if (kind !== 'histogram') return kind === 'counter' ? 'rate' : 'value';
  return OF_HISTOGRAM.find((one) => one === wanted) ?? 'p95';
}

/** Counters become rates a second, histograms a quantile, mean or rate of each interval, gauges stay. */
export function chartOf({ items, boundaries, name: metric }: MetricLines, shown: Shown): ChartData {
  const lines = items.map(({ labels, points }) => ({
    name: Object.values(labels).join(' ') || metric, labels, points: shown === 'value' ? points.map(({ time, value }) => [time, value] as const) : between(points, (a, b) => valueOf(a, b, shown, boundaries)),
  }));
  const times = [...new Set(lines.flatMap(({ points }) => points.map(([time]) => time)))].sort((a, b) => a - b);
  return {
    times: times.map((time) => time / 1000),
    lines: lines.map(({ name, labels, points }) => {
      const values = new Map(points);
      return { name, labels, values: times.map((time) => values.get(time) ?? null) };
    }),
  };
}

function between(points: readonly Point[], value: (a: Point, b: Point) => number | null): readonly (readonly [number, number | null])[] {
  return points.slice(1).map((point, at) => [point.time, value(points[at] as Point, point)] as const);
}

function valueOf(a: Point, b: Point, shown: Shown, boundaries: readonly number[]): number | null {
  if (shown === 'rate') return rate(a, b);
  if (shown === 'mean') return b.value <= a.value ? null : ((b.sum ?? 0) - (a.sum ?? 0)) / (b.value - a.value);
  return quantile((b.counts ?? []).map((count, at) => Math.max(0, count - (a.counts?.[at] ?? 0))), QUANTILES[shown] ?? 0, boundaries);
}

/** After a restart a counter begins anew: then all of it is new. */
function rate(a: Point, b: Point): number {
  return Math.max(0, b.value >= a.value ? b.value - a.value : b.value) / Math.max(0.001, (b.time - a.time) / 1000);
}

/** Interpolated inside its bucket, as Prometheus does; null when nothing happened. What lies above the last boundary is shown as that. */
export function quantile(counts: readonly number[], part: number, boundaries: readonly number[]): number | null {
  const wanted = counts.reduce((sum, count) => sum + count, 0) * part;
  if (wanted === 0) return null;
  let before = 0;
  for (const [at, count] of counts.entries()) {
    if (before + count >= wanted) {
      const [from, to] = [boundaries[at - 1] ?? 0, boundaries[at] ?? boundaries.at(-1) ?? 0];
      return from + (to - from) * ((wanted - before) / count);
    }
    before += count;
  }
  return boundaries.at(-1) ?? null;
}

export function shownValue(value: number, unit: string): string {
  if (unit === 's') return duration(value * 1000);
  if (unit === 'By') return bytes(value);
  if (unit === '1') return `${(value * 100).toFixed(1)} %`;
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
