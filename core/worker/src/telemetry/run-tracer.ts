import { HandlerSpan } from './handler-span.js';
import type { NotedSpan } from './noted-span.js';
import type { OpenTelemetryApi, OtelContext } from './open-telemetry-api.js';
import { OwnSpan, type SpanOptions } from './own-span.js';
import type { RunContextManager } from './run-context.js';

const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/** OpenTelemetry's tracer and its provider. Spans outside a sampled run are not kept, nor is one more than a run may make. */
export class RunTracer {
  readonly #api: OpenTelemetryApi;
  readonly #contexts: RunContextManager;

  constructor(api: OpenTelemetryApi, contexts: RunContextManager) {
    this.#api = api;
    this.#contexts = contexts;
  }

  getTracer(): this {
    return this;
  }

  startSpan(name: string, options?: SpanOptions, context?: OtelContext): unknown {
    const parent = options?.root === true ? undefined : this.#parentIn(context);
    if (OwnSpan.is(parent) && parent.handler.hasRoom) return new OwnSpan(name, options, parent);
    if (HandlerSpan.is(parent) && parent.hasRoom) return new OwnSpan(name, options, parent);
    const above = (parent as NotedSpan | undefined)?.spanContext();
    return this.#api.trace.wrapSpanContext({ traceId: above?.traceId ?? NO_TRACE, spanId: above?.spanId ?? NO_SPAN, traceFlags: 0 });
  }

  /** `(name, fn)`, `(name, options, fn)` or `(name, options, context, fn)`. */
  startActiveSpan<T>(name: string, ...rest: unknown[]): T {
    const task = rest.pop() as (span: unknown) => T;
    const [options, given] = rest as [SpanOptions | undefined, OtelContext | undefined];
    const { trace, context } = this.#api;
    const span = this.startSpan(name, options, given);
    return context.with(trace.setSpan(given ?? context.active(), span), () => task(span));
  }

  /** Where nothing was entered below the handler, its span is the parent; no context needs to be made to tell. */
  #parentIn(context: OtelContext | undefined): unknown {
    const handler = context === undefined ? this.#contexts.plainSpan() : undefined;
    return handler ?? this.#api.trace.getSpan(context ?? this.#contexts.active());
  }
}
