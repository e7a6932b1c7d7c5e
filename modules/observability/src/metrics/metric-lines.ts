import type { Labels } from '@treadle/api';
import type { MetricPoint, SeriesPoint } from './metric-history.js';
import { labelsKey } from './series.js';

/** Series that were added up, over time. */
export interface MetricLine {
  /** Those that its series have in common by the choice. */
  readonly labels: Labels;
  readonly points: readonly MetricPoint[];
}

export interface LineChoice {
  /** Names of labels: one line for each of their combinations; `*`: one for each series; none: all together. */
  readonly by: readonly string[];
  /** Milliseconds since the epoch. */
  readonly from: number;
  /** Whether a series is still there. One that is not counts until its last change. */
  readonly isThere: (key: string) => boolean;
}

/** Adds series up. One that does not change between two points of another counts with what it was. The highest line comes first. */
export function metricLines(points: readonly SeriesPoint[], { by, from, isThere }: LineChoice): readonly MetricLine[] {
  const lines = new Map<string, Line>();
  const last = new Map(points.map(({ key }, at) => [key, at]));
  const lineOf = (key: string): Line => {
    const labels = chosen(Object.fromEntries(JSON.parse(key) as [string, string][]), by);
    const line = lines.get(labelsKey(labels)) ?? new Line(labels);
    lines.set(labelsKey(labels), line);
    return line;
  };
  let touched = new Map<Line, string[]>();
  for (const [at, point] of points.entries()) {
    const line = lineOf(point.key);
    line.take(point);
    const gone = touched.get(line) ?? [];
    touched.set(line, last.get(point.key) === at && !isThere(point.key) ? [...gone, point.key] : gone);
    if (points[at + 1]?.time === point.time) continue;
    for (const [one, keys] of touched) {
      if (point.time >= from) one.note(point.time);
      for (const key of keys) one.drop(key);
    }
    touched = new Map();
  }
  return [...lines.values()].filter(({ points: own }) => own.length > 0).sort((a, b) => (b.points.at(-1)?.value ?? 0) - (a.points.at(-1)?.value ?? 0)).map(({ labels, points: own }) => ({ labels, points: own }));
}

function chosen(labels: Labels, by: readonly string[]): Labels {
  return by.includes('*') ? labels : Object.fromEntries(Object.entries(labels).filter(([name]) => by.includes(name)));
}

/** One line while it is put together: the sum changes by what its series change. */
class Line {
  readonly points: MetricPoint[] = [];
  private readonly members = new Map<string, MetricPoint>();
  private value = 0;
  private sum = 0;
  private counts: number[] | undefined;

  constructor(readonly labels: Labels) {}

  take(point: SeriesPoint): void {
    this.drop(point.key);
    this.members.set(point.key, point);
    this.add(point, 1);
  }

  drop(key: string): void {
    const former = this.members.get(key);
    this.members.delete(key);
    if (former) this.add(former, -1);
  }

  /** What it is now becomes its point at this time. */
  note(time: number): void {
    const { value, sum, counts } = this;
    this.points.push({ time, value, ...counts && { sum, counts: [...counts] } });
  }

  private add({ value, sum, counts }: MetricPoint, sign: 1 | -1): void {
    this.value += sign * value;
    this.sum += sign * (sum ?? 0);
    if (!counts) return;
    this.counts ??= counts.map(() => 0);
    for (const [at, count] of counts.entries()) this.counts[at] = (this.counts[at] ?? 0) + sign * count;
  }
}
