import type { LogRecord } from '../logger.js';
import type { Unsubscribe } from '../unsubscribe.js';
import { token } from '../token.js';

/** A value that a span may be described with. */
export type AttributeValue = string | number | boolean | readonly string[];
/** What is said of a span, by OpenTelemetry's names. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Which side of which exchange a span is about. @source OpenTelemetry, SpanKind */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** A moment within a span. */
export interface SpanEvent {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly attributes?: Attributes | undefined;
}

/** A span that has ended. */
export interface SpanRecord {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since the epoch, with fractions. */
  readonly startTime: number;
  /** With fractions. */
  readonly durationMs: number;
  readonly error?: { readonly type: string; readonly message: string; readonly stack?: string | undefined } | undefined;
  /** Empty outside a handler. */
  readonly stepName: string;
  /** Not touched after it was handed over; the same object may serve many spans. */
  readonly attributes: Attributes;
  readonly events?: readonly SpanEvent[] | undefined;
  /** `traceparent` of spans that this one belongs to without being their child. */
  readonly links?: readonly string[] | undefined;
}

/** Labels of a series. Their values must be bounded: a route pattern, never a path. */
export type Labels = Readonly<Record<string, string | number | boolean>>;

/** What a metric is, for people. */
export interface InstrumentOptions {
  readonly description: string;
  /** UCUM, e.g. `s`, `{message}`. */
  readonly unit: string;
}

/** One series of a counter. Keep it: finding it costs more than using it. */
export interface CounterSeries {
  add(value: number): void;
}

/** One series of a histogram. Keep it. */
export interface HistogramSeries {
  record(value: number): void;
}

/** What is read whenever metrics are looked at. */
export interface GaugeOptions extends InstrumentOptions {
  readonly read: () => readonly { readonly value: number; readonly labels: Labels }[];
}

/** Where modules report what happened; absent without an observability module. Nothing here throws or waits. */
export interface Telemetry {
  /** Spans are wanted at all. */
  readonly tracing: boolean;
  readonly metrics: boolean;
  /** The decision for a new trace; the same for the same id in every process. */
  samples(traceId: string): boolean;
  /** Takes a finished span of a sampled trace. */
  span(span: SpanRecord): void;
  /** `labels` make the series; the same ones give the same series. Beyond 2,000 series of a name there is one for the rest. */
  counter(name: string, labels: Labels, options: InstrumentOptions): CounterSeries;
  /** Durations are in seconds. */
  histogram(name: string, labels: Labels, options: InstrumentOptions): HistogramSeries;
  gauge(name: string, options: GaugeOptions): Unsubscribe;
  /** Takes a record of the engine or of a handler, already written out. */
  log(record: LogRecord): void;
}
export const Telemetry = token<Telemetry>('engine.Telemetry');
