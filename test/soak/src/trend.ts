import { median } from '../../support/statistics.js';

/** What grew, and whether that is more than noise. */
export interface Trend {
  readonly first: number;
  readonly last: number;
  /** Growth over the time that was looked at, as a share of the beginning; by the median of all slopes. */
  readonly growth: number;
  /** Kendall's tau: 1 when every value is above those before it, about 0 without a trend. */
  readonly tau: number;
}

/** A trend from this tau on is one; below it values go up and down. */
const CLEAR_TAU = 0.5;

/**
 * The Theil–Sen slope and Kendall's rank correlation of values at equal distances: a few outliers, such as a burst that a
 * neighbour of the machine causes, change neither.
 */
export function trendOf(values: readonly number[]): Trend {
  const slopes: number[] = [];
  let order = 0;
  for (let from = 0; from < values.length; from += 1) {
    for (let to = from + 1; to < values.length; to += 1) {
      const rise = (values[to] as number) - (values[from] as number);
      slopes.push(rise / (to - from));
      order += Math.sign(rise);
    }
  }
  const quarter = Math.max(1, Math.floor(values.length / 4));
  const first = median(values.slice(0, quarter));
  return {
    first, last: median(values.slice(-quarter)), growth: median(slopes) * (values.length - 1) / first,
    tau: order / (values.length * (values.length - 1) / 2),
  };
}

/** True when it clearly grows by more than the share that is allowed, and when a value is missing. */
export function grows({ growth, tau }: Trend, allowed: number): boolean {
  return Number.isNaN(tau) || (growth > allowed && tau > CLEAR_TAU);
}
