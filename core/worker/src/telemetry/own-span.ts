import type { WorkerSpan } from '@treadle/protocol';
import type { HandlerSpan } from './handler-span.js';
import { NotedSpan } from './noted-span.js';
import { newSpanId } from './span-id.js';
import { shortName } from './span-limits.js';
import { momentOf, type TimeInput } from './span-time.js';

/** OpenTelemetry's `SpanKind`, by number. */
const KINDS: readonly WorkerSpan['kind'][] = ['internal', 'server', 'client', 'producer', 'consumer'];
const NO_ATTRIBUTES = Object.freeze({});
/** Marks those of every copy of this package. */
const MARK = Symbol.for('treadle.own-span');

/** OpenTelemetry's `SpanOptions`, as far as they are used. */
export interface SpanOptions {
  readonly kind?: number;
  readonly attributes?: unknown;
  readonly links?: readonly { readonly context: ReturnType<NotedSpan['spanContext']> }[];
  readonly startTime?: TimeInput;
  readonly root?: boolean;
}

/** A span that code of a handler made through OpenTelemetry's API. Goes to the engine when it ends. */
export class OwnSpan extends NotedSpan {
  /** Of the run that it belongs to. */
  readonly handler: HandlerSpan;
  readonly #parentSpanId: string;
  readonly #kind: WorkerSpan['kind'];
  readonly #startTime: number;
  #name: string;
  readonly [MARK] = true;

  constructor(name: string, options: SpanOptions | undefined, parent: HandlerSpan | OwnSpan) {
    const { traceId, spanId } = parent.spanContext();
    super({ traceId, spanId: newSpanId(), traceFlags: 1 });
    this.handler = OwnSpan.is(parent) ? parent.handler : parent;
    this.handler.made++;
    this.#parentSpanId = spanId;
    this.#name = shortName(name);
    this.#kind = KINDS[options?.kind ?? 0] ?? 'internal';
    this.#startTime = momentOf(options?.startTime);
    if (options?.attributes !== undefined) this.setAttributes(options.attributes);
    if (options?.links !== undefined) this.addLinks(options.links);
  }

  /** Is it one, of whichever copy? */
  static is(span: unknown): span is OwnSpan {
    return typeof span === 'object' && span !== null && MARK in span;
  }

  updateName(name: string): this {
    if (!this.ended) this.#name = shortName(name);
    return this;
  }

  /** The first time counts. */
  end(time?: TimeInput): void {
    if (this.ended) return;
    this.ended = true;
    const { traceId, spanId } = this.spanContext();
    const notes = this.notes();
    this.handler.host.spans?.([{
      traceId, spanId, parentSpanId: this.#parentSpanId, name: this.#name, kind: this.#kind, startTime: this.#startTime,
      durationMs: Math.max(0, momentOf(time) - this.#startTime), stepName: this.handler.stepName, attributes: notes?.attributes ?? NO_ATTRIBUTES,
      events: notes?.events, links: notes?.links, error: notes?.error,
    }]);
  }
}
