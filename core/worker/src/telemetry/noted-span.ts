import { inspect } from 'node:util';
import type { SpanEvent, SpanNotes } from '@treadle/protocol';
import { MAX_EVENTS, MAX_LINKS, putAttributes, spanError, spanEvent, type AttributeValue } from './span-limits.js';
import { momentOf, type TimeInput } from './span-time.js';

/** What identifies a span; OpenTelemetry's `SpanContext`. */
export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  /** 1: sampled. */
  readonly traceFlags: number;
}

/** OpenTelemetry's status code of an error. */
const ERROR = 2;

/** A span of OpenTelemetry's API, by shape: keeps what code says of it, within limits. */
export class NotedSpan {
  protected ended = false;
  #attributes: Record<string, AttributeValue> | undefined;
  #events: SpanEvent[] | undefined;
  #links: string[] | undefined;
  #error: SpanNotes['error'];
  #recorded: SpanNotes['error'];
  readonly #context: SpanContext;

  constructor(context: SpanContext) {
    this.#context = context;
  }

  spanContext(): SpanContext {
    return this.#context;
  }

  toJSON(): SpanContext {
    return this.#context;
  }

  /** What `console.log` shows. */
  [inspect.custom](): SpanContext {
    return this.#context;
  }

  isRecording(): boolean {
    return !this.ended;
  }

  setAttribute(key: string, value: unknown): this {
    return this.setAttributes({ [key]: value });
  }

  setAttributes(attributes: unknown): this {
    if (!this.ended) putAttributes((this.#attributes ??= {}), attributes);
    return this;
  }

  /** The second argument may be the time, as in OpenTelemetry's API. */
  addEvent(name: string, attributes?: unknown, time?: TimeInput): this {
    if (this.ended) return this;
    const at = isTime(attributes) ? attributes : time;
    this.#events ??= [];
    if (this.#events.length < MAX_EVENTS) this.#events.push(spanEvent(name, isTime(attributes) ? undefined : attributes, momentOf(at)));
    return this;
  }

  addLink(link: { readonly context?: SpanContext } | undefined): this {
    const to = link?.context;
    if (this.ended || !to) return this;
    this.#links ??= [];
    if (this.#links.length < MAX_LINKS) this.#links.push(`00-${to.traceId}-${to.spanId}-0${to.traceFlags & 1}`);
    return this;
  }

  addLinks(links: readonly { readonly context?: SpanContext }[]): this {
    for (const link of links) this.addLink(link);
    return this;
  }

  /** Only an error is kept; anything else takes it back. */
  setStatus(status: { readonly code: number; readonly message?: string }): this {
    if (!this.ended) this.#error = status.code === ERROR ? { type: 'Error', message: String(status.message ?? '').slice(0, 2048) } : undefined;
    return this;
  }

  recordException(exception: unknown, time?: TimeInput): void {
    const { type, message, stack } = this.#recorded = spanError(exception);
    this.addEvent('exception', { 'exception.type': type, 'exception.message': message, ...(stack !== undefined && { 'exception.stacktrace': stack }) }, time);
  }

  /** What was said so far; undefined when it was nothing. */
  notes(): SpanNotes | undefined {
    const error = this.#error && { ...this.#recorded, ...this.#error, type: this.#recorded?.type ?? this.#error.type, message: this.#error.message || (this.#recorded?.message ?? '') };
    if (!this.#attributes && !this.#events && !this.#links && !error) return undefined;
    return {
      ...(this.#attributes && { attributes: this.#attributes }), ...(this.#events && { events: this.#events }),
      ...(this.#links && { links: this.#links }), ...(error && { error }),
    };
  }
}

function isTime(value: unknown): value is TimeInput {
  return typeof value === 'number' || value instanceof Date || (Array.isArray(value) && value.length === 2 && typeof value[0] === 'number');
}
