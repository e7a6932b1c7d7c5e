import type { CounterSeries, HistogramSeries, Labels } from '@treadle/api';

/** Upper bounds of the buckets of every histogram, in the histogram's unit; all of ours are seconds. */
export const BOUNDARIES: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** A counter's value since the start. */
export class Counter implements CounterSeries {
  value = 0;

  constructor(readonly labels: Labels) {}

  /** Anything but a positive, finite number is left out: a counter never falls. */
  add(value: number): void {
    if (value > 0 && value < Infinity) this.value += value;
  }
}

/** A histogram since the start. */
export class Histogram implements HistogramSeries {
  count = 0;
  sum = 0;
  /** By bucket, not added up; one more than there are boundaries. */
  readonly counts = new Float64Array(BOUNDARIES.length + 1);

  constructor(readonly labels: Labels) {}

  /** Negative and endless values are left out. */
  record(value: number): void {
    if (!(value >= 0 && value < Infinity)) return;
    let bucket = 0;
    while (bucket < BOUNDARIES.length && value > (BOUNDARIES[bucket] as number)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] as number) + 1;
    this.count += 1;
    this.sum += value;
  }
}

/** Labels of the one series of all that are too many. */
export const OVERFLOW: Labels = Object.freeze({ overflow: true });

/** One text for equal labels, whatever their order. */
export function labelsKey(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
