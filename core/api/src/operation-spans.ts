import { type Origin, originOf } from './blocks/queue-port.js';
import type { Attributes, SpanKind, SpanRecord, Telemetry } from './blocks/telemetry.js';
import type { Clock } from './clock.js';
import { timeOfDay } from './span-time.js';
import { OperationError } from './dispatch/operations.js';
import type { Call } from './dispatch/sessions.js';
import { newSpanId, NO_SPAN } from './trace-context.js';

/** Where spans go. */
export type SpanWriter = Pick<Telemetry, 'tracing' | 'span'>;

/** A span that is about to begin. */
export interface SpanHead {
  readonly name: string;
  readonly kind: SpanKind;
  /** Empty outside a handler. */
  readonly stepName: string;
}

/** Writes the spans of what has a beginning and an end in one place, such as the operations that handlers call. */
export class OperationSpans {
  constructor(private readonly telemetry: SpanWriter, private readonly clock: Clock) {}

  /**
   * Runs an operation, with a span when its trace is sampled. The origin that the work gets names that span, so that what it
   * causes comes below it. `describe` is asked at the end, with the result unless there was an error.
   */
  run<T>(call: Call, name: string, work: (origin: Origin) => Promise<T>, describe: (result?: T) => Attributes): Promise<T> {
    return this.within(originOf(call), { name, kind: 'internal', stepName: call.request.step }, work, describe);
  }

  /** The same for what a handler need not have begun. */
  async within<T>(from: Origin, head: SpanHead, work: (origin: Origin) => Promise<T>, describe: (result?: T) => Attributes): Promise<T> {
    const span = this.begin(from, head);
    if (!span) return work(from);
    try {
      const result = await work(span.origin);
      span.end(describe(result));
      return result;
    } catch (error) {
      span.end(describe(), spanError(error));
      throw error;
    }
  }

  /** The same for what has its end elsewhere; undefined when the trace is not sampled. */
  begin(from: Origin, head: SpanHead): OperationSpan | undefined {
    return from.sampled && this.telemetry.tracing ? new OperationSpan(this.telemetry, this.clock, from, head) : undefined;
  }
}

/** The span of an operation that has begun. */
export class OperationSpan {
  /** Of what the operation causes. */
  readonly origin: Origin;
  private readonly began: number;

  constructor(private readonly telemetry: SpanWriter, private readonly clock: Clock, private readonly from: Origin, private readonly head: SpanHead) {
    this.origin = { traceId: from.traceId, spanId: newSpanId(), sampled: from.sampled, hops: from.hops };
    this.began = clock.monotonic();
  }

  /** Writes it; to be called once. */
  end(attributes: Attributes, error?: SpanRecord['error']): void {
    const { from, head: { name, kind, stepName }, origin: { traceId, spanId }, began } = this;
    this.telemetry.span({
      traceId, spanId, parentSpanId: parentOf(from.spanId), name, kind, startTime: timeOfDay(began),
      durationMs: this.clock.monotonic() - began, error, stepName, attributes,
    });
  }
}

/** The `parentSpanId` of what a span caused: none when that is `NO_SPAN`. */
export function parentOf(spanId: string): string | undefined {
  return spanId === NO_SPAN ? undefined : spanId;
}

/** An error as spans have it: its code or class, and its text. */
export function spanError(error: unknown): NonNullable<SpanRecord['error']> {
  if (error instanceof OperationError) return { type: error.code, message: error.message };
  return error instanceof Error ? { type: error.name, message: error.message } : { type: 'Error', message: String(error) };
}
