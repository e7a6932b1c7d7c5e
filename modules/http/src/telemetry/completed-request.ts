import type { IncomingMessage } from 'node:http';
import type { Attributes, CounterSeries, HistogramSeries, SpanRecord, StepRecord } from '@treadle/api';

/** A request at its end, as far as telemetry and the access log look at it. */
export interface CompletedRequest {
  readonly request: IncomingMessage;
  /** Of the Step that it was for; absent when there was none. */
  readonly route: CompletedRoute | undefined;
  /** Path of a route of the engine's own; empty with any other. */
  readonly ownRoute: string;
  /** Without its query. */
  readonly path: string;
  /** Milliseconds of the monotonic clock. */
  readonly began: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly sampled: boolean;
}

/** A Step's route, likewise. */
export interface CompletedRoute {
  readonly step: StepRecord;
  readonly method: string;
  readonly label: string;
  /** What telemetry keeps of it, by status. */
  readonly outcomes: Map<number, RequestOutcome>;
}

/** What requests with the same method, route and status have in common. */
export interface RequestOutcome {
  readonly duration: HistogramSeries;
  readonly count: CounterSeries;
  readonly name: string;
  readonly attributes: Attributes;
  readonly error: SpanRecord['error'];
}
