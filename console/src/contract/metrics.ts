import type { EpochMs, Items } from './common.js';

export type Labels = Readonly<Record<string, string | number | boolean>>;

/** `GET /metrics/now` */
export interface MetricsNow {
  /** Upper bounds of the buckets of histograms. */
  readonly boundaries: readonly number[];
  readonly items: readonly Metric[];
}

export type Metric = { readonly name: string; readonly description: string; readonly unit: string } & (
  | { readonly kind: 'counter' | 'gauge'; readonly series: readonly { readonly labels: Labels; readonly value: number }[] }
  | { readonly kind: 'histogram'; readonly series: readonly { readonly labels: Labels; readonly count: number; readonly sum: number; readonly counts: readonly number[] }[] }
);

/**
 * `GET /metrics/lines?name=&by=&from=&to=&limit=`: series added up by the labels that `by` names, separated by commas; `*`: each by itself, without: all
 * together. The highest first.
 */
export interface MetricLines extends Items<{ readonly labels: Labels; readonly points: MetricSeries['points'] }> {
  readonly name: string;
  readonly by: readonly string[];
  readonly boundaries: readonly number[];
  /** Lines that are left out. */
  readonly omitted: number;
}

/** `GET /metrics/series?name=&labels=&from=&to=` */
export interface MetricSeries {
  readonly name: string;
  readonly labels: Labels;
  readonly boundaries: readonly number[];
  readonly points: readonly { readonly time: EpochMs; readonly value: number; readonly sum?: number; readonly counts?: readonly number[] }[];
}
