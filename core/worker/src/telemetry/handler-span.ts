import type { RunnerHost } from '../runner-host.js';
import { NotedSpan } from './noted-span.js';

/** Most spans that code of one run may make. */
const MAX_OWN_SPANS = 1000;
/** Place and value of the sampled flag in a traceparent. */
const FLAG_AT = 54;
const SAMPLED = '1';
/** Marks the handlers' spans of every copy of this package: OpenTelemetry's globals are shared by all of them. */
const MARK = Symbol.for('treadle.handler-span');

/**
 * The span of a run, `ctx.trace`: the engine begins, names and ends it, code adds to it. When the trace is not sampled it is
 * there all the same and keeps nothing, so that code need not ask.
 */
export class HandlerSpan extends NotedSpan {
  readonly host: Pick<RunnerHost, 'spans' | 'measurements'>;
  readonly stepName: string;
  /** Spans below it are kept. */
  readonly sampled: boolean;
  /** Spans that code of the run has made so far. */
  made = 0;
  /** OpenTelemetry's context of the run, once something asked for it. */
  otelContext: unknown;
  readonly [MARK] = true;

  /** @param traceparent of the invocation: its span is the handler's */
  constructor(traceparent: string, host: HandlerSpan['host'], stepName: string) {
    const sampled = traceparent[FLAG_AT] === SAMPLED;
    super({ traceId: traceparent.slice(3, 35), spanId: traceparent.slice(36, 52), traceFlags: sampled ? 1 : 0 });
    this.host = host;
    this.stepName = stepName;
    this.sampled = sampled;
    this.ended = !sampled;
  }

  /** Is it one, of whichever copy? */
  static is(span: unknown): span is HandlerSpan {
    return typeof span === 'object' && span !== null && MARK in span;
  }

  /** Whether the run may make one more span. */
  get hasRoom(): boolean {
    return this.sampled && this.made < MAX_OWN_SPANS;
  }

  /** Its name is the engine's. */
  updateName(): this {
    return this;
  }

  /** It ends with the handler. */
  end(): void {
    return undefined;
  }

  /** Nothing is taken after the handler's answer. */
  close(): void {
    this.ended = true;
  }
}
