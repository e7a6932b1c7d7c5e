import type { Metric, MetricSeries } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';
import { bytes } from '../../format/numbers.js';

/** Lines over common times (seconds since the epoch); null where a line has no point. */
export interface ChartData {
  readonly times: readonly number[];
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
}

type Point = MetricSeries['points'][number];
const QUANTILE = 0.95;

/** Counters become rates a second, histograms the 95th percentile of each interval, gauges stay. */
export function chartOf(all: readonly MetricSeries[], metric: Metric, boundaries: readonly number[]): ChartData {
  const lines = all.map(({ labels, points }) => ({ name: Object.values(labels).join(' ') || metric.name, points: metric.kind === 'gauge' ? points.map(({ time, value }) => [time, value] as const) : between(points, (a, b) => (metric.kind === 'counter' ? rate(a, b) : quantile(a, b, boundaries))) }));
  const times = [...new Set(lines.flatMap(({ points }) => points.map(([time]) => time)))].sort((a, b) => a - b);
  return {
    times: times.map((time) => time / 1000),
    lines: lines.map(({ name, points }) => {
      const values = new Map(points);
      return { name, values: times.map((time) => values.get(time) ?? null) };
    }),
  };
}

function between(points: readonly Point[], value: (a: Point, b: Point) => number | null): readonly (readonly [number, number | null])[] {
  return points.slice(1).map((point, at) => [point.time, value(points[at] as Point, point)] as const);
}

/** After a restart a counter begins anew: then all of it is new. */
function rate(a: Point, b: Point): number {
  return Math.max(0, b.value >= a.value ? b.value - a.value : b.value) / Math.max(0.001, (b.time - a.time) / 1000);
}

/** Interpolated inside its bucket; null when nothing happened in between. */
function quantile(a: Point, b: Point, boundaries: readonly number[]): number | null {
  const counts = (b.counts ?? []).map((count, at) => Math.max(0, count - (a.counts?.[at] ?? 0)));
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let before = 0;
  for (const [at, count] of counts.entries()) {
    if (before + count >= total * QUANTILE) {
      const [from, to] = [boundaries[at - 1] ?? 0, boundaries[at] ?? boundaries.at(-1) ?? 0];
      return from + (to - from) * ((total * QUANTILE - before) / Math.max(1, count));
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

/** As the metric is called in Prometheus. */
export function promName({ name, kind, unit }: Metric): string {
  const base = name.replaceAll('.', '_');
  const withUnit = unit === 's' ? `${base}_seconds` : unit === 'By' ? `${base}_bytes` : base;
  return kind === 'counter' ? `${withUnit}_total` : withUnit;
}
