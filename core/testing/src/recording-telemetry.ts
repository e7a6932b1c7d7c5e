import type {
  CounterSeries, GaugeOptions, HistogramSeries, InstrumentOptions, Labels, LogRecord, SpanRecord, Telemetry, Unsubscribe,
} from '@treadle/api';

/** One series of a metric, as a test reads it. */
export interface RecordedSeries {
  readonly labels: Labels;
  /** Of a counter: the sum. Of a histogram: how many values. */
  count: number;
  /** Of a histogram; as they came. */
  readonly values: number[];
  readonly options: InstrumentOptions;
}

/** Telemetry that keeps everything, for tests of what modules report. Samples every trace unless told otherwise. */
export class RecordingTelemetry implements Telemetry {
  tracing = true;
  metrics = true;
  readonly spans: SpanRecord[] = [];
  readonly records: LogRecord[] = [];
  readonly gauges = new Map<string, GaugeOptions>();
  private readonly series = new Map<string, RecordedSeries>();

  /** Which traces are sampled. */
  samples: (traceId: string) => boolean = () => true;

  span(span: SpanRecord): void {
    this.spans.push(span);
  }

  counter(name: string, labels: Labels, options: InstrumentOptions): CounterSeries {
    const series = this.find(name, labels, options);
    return { add: (value) => void (series.count += value) };
  }

  histogram(name: string, labels: Labels, options: InstrumentOptions): HistogramSeries {
    const series = this.find(name, labels, options);
    return {
      record: (value) => {
        series.count++;
        series.values.push(value);
      },
    };
  }

  gauge(name: string, options: GaugeOptions): Unsubscribe {
    this.gauges.set(name, options);
    return () => {
      if (this.gauges.get(name) === options) this.gauges.delete(name);
    };
  }

  log(record: LogRecord): void {
    this.records.push(record);
  }

  /** Counts of a metric by its labels, written `name=value` and joined by commas. */
  counts(name: string): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.series].filter(([key]) => key.startsWith(`${name} `)).map(([key, { count }]) => [key.slice(name.length + 1), count]));
  }

  /** Names of the metrics so far, gauges included. */
  names(): ReadonlySet<string> {
    return new Set([...this.gauges.keys(), ...[...this.series.keys()].map((key) => key.slice(0, key.indexOf(' ')))]);
  }

  /** Every series of a metric. */
  seriesOf(name: string): readonly RecordedSeries[] {
    return [...this.series].filter(([key]) => key.startsWith(`${name} `)).map(([, series]) => series);
  }

  /** What a gauge says now; undefined when there is none. */
  gaugeOf(name: string): readonly { readonly value: number; readonly labels: Labels }[] | undefined {
    return this.gauges.get(name)?.read();
  }

  /** Spans of a name. */
  spansOf(name: string): readonly SpanRecord[] {
    return this.spans.filter((span) => span.name === name);
  }

  private find(name: string, labels: Labels, options: InstrumentOptions): RecordedSeries {
    const key = `${name} ${Object.entries(labels).map(([label, value]) => `${label}=${value}`).join(',')}`;
    let series = this.series.get(key);
    if (!series) this.series.set(key, series = { labels, count: 0, values: [], options });
    return series;
  }
}
