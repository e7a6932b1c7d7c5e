import {
  bind, type Binding, type CounterSeries, type Ctor, type HistogramSeries, type Lifecycle, type SpanRecord, Telemetry, type Unsubscribe,
} from '@treadle/api';
import type { Captured } from './captured.js';

const SERIES: CounterSeries & HistogramSeries = { add: () => undefined, record: () => undefined };

/** A module of one engine that stands in for observability: samples every trace and keeps its spans. */
export function testTelemetry({ spans }: Pick<Captured, 'spans'>): Ctor<Lifecycle> {
  return class TestTelemetry implements Lifecycle, Telemetry {
    readonly tracing = true;
    readonly metrics = false;

    ports(): Binding[] {
      return [bind(Telemetry, this)];
    }

    samples(): boolean {
      return true;
    }

    span(span: SpanRecord): void {
      spans.push(span);
    }

    counter(): CounterSeries {
      return SERIES;
    }

    histogram(): HistogramSeries {
      return SERIES;
    }

    gauge(): Unsubscribe {
      return () => undefined;
    }

    log(): void {
      // The engine's sink keeps records.
    }
  };
}
