import type { EpochMs } from './common.js';

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

/** `GET /metrics/series?name=&labels=&from=&to=` */
export interface MetricSeries {
  readonly name: string;
  readonly labels: Labels;
  readonly boundaries: readonly number[];
  readonly points: readonly { readonly time: EpochMs; readonly value: number; readonly sum?: number; readonly counts?: readonly number[] }[];
}
