import type { Labels } from '@treadle/api';
import type { MetricReading } from './metric-registry.js';
import { labelsKey } from './series.js';

/** A series at one moment. Of a histogram `value` is how many values there were. */
export interface MetricPoint {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly value: number;
  readonly sum?: number;
  /** Values by bucket; not added up. */
  readonly counts?: readonly number[];
}

/** A point of one series, in the order of time. */
export interface SeriesPoint extends MetricPoint {
  /** The series' labels as text, see `labelsKey`. */
  readonly key: string;
}

interface Kept extends SeriesPoint {
  readonly name: string;
}

export interface MetricHistoryLimits {
  readonly maxCount: number;
  readonly retentionMs: number;
}

/**
 * What the metrics were, bounded in points and age. A series that did not change since its last point gets no new one,
 * so that a thousand idle series take no room.
 */
export class MetricHistory {
  private points: Kept[] = [];
  /** Points before this one are gone; cutting the list each time would cost more. */
  private first = 0;
  private latest = new Map<string, number>();
  private gone = 0;

  constructor(private readonly limits: MetricHistoryLimits) {}

  /** Points that had to go because there were too many. */
  get evicted(): number {
    return this.gone;
  }

  get count(): number {
    return this.points.length - this.first;
  }

  /** Goes on where another one stopped; the next sample lets go of what is too much here. */
  adopt(former: MetricHistory): void {
    this.points = former.points.slice(former.first);
    this.latest = former.latest;
  }

  /** Notes what has changed. */
  sample(readings: readonly MetricReading[], time: number): void {
    const latest = new Map<string, number>();
    for (const reading of readings) {
      for (const point of pointsOf(reading, time)) {
        const id = `${point.name}\n${point.key}`;
        latest.set(id, point.value);
        if (this.latest.get(id) !== point.value) this.points.push(point);
      }
    }
    // Series that are no longer there are forgotten.
    this.latest = latest;
    this.trim(time);
  }

  /** Points of one series, the oldest first. */
  series(name: string, labels: Labels, from: number, to: number): readonly MetricPoint[] {
    const key = labelsKey(labels);
    return this.points.slice(this.first)
      .filter((point) => point.name === name && point.key === key && point.time >= from && point.time < to)
      .map(({ time, value, sum, counts }) => ({ time, value, ...sum === undefined ? {} : { sum }, ...counts === undefined ? {} : { counts } }));
  }

  /** Points of all series of a metric before a time, the oldest first. */
  pointsOf(name: string, to: number): readonly SeriesPoint[] {
    return this.points.slice(this.first).filter((point) => point.name === name && point.time < to);
  }

  /** Of all metrics that have points. */
  names(): ReadonlySet<string> {
    return new Set(this.points.slice(this.first).map(({ name }) => name));
  }

  private trim(now: number): void {
    const { maxCount, retentionMs } = this.limits;
    while (this.first < this.points.length && (this.points[this.first] as Kept).time < now - retentionMs) this.first += 1;
    const surplus = this.count - maxCount;
    if (surplus > 0) {
      this.first += surplus;
      this.gone += surplus;
    }
    if (this.first <= this.points.length / 2) return;
    this.points = this.points.slice(this.first);
    this.first = 0;
  }
}

function pointsOf(reading: MetricReading, time: number): readonly Kept[] {
  const { name } = reading;
  if (reading.kind === 'histogram') {
    return reading.series.map(({ labels, count, sum, counts }) => ({ name, key: labelsKey(labels), time, value: count, sum, counts: [...counts] }));
  }
  return reading.series.map(({ labels, value }) => ({ name, key: labelsKey(labels), time, value }));
}
