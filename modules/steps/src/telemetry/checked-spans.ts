import type { Attributes, AttributeValue, HandlerSpanNotes, SpanEvent, SpanKind, SpanRecord } from '@treadle/api';

/** Most spans of a message, attributes, events and links of a span. */
const MOST = { spans: 500, attributes: 128, events: 128, links: 64, items: 64 } as const;
/** Longest texts, in characters. */
const LONGEST = { name: 256, text: 8192, stack: 16_384 } as const;
const TRACE_ID = /^[0-9a-f]{32}$/;
const SPAN_ID = /^[0-9a-f]{16}$/;
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const KINDS: ReadonlySet<unknown> = new Set<SpanKind>(['internal', 'server', 'client', 'producer', 'consumer']);
const NO_ATTRIBUTES: Attributes = Object.freeze({});

/** What of a worker's spans can be believed: those of the right form, cut to their limits. */
export function checkedSpans(spans: readonly unknown[]): readonly SpanRecord[] {
  return spans.slice(0, MOST.spans).map(checkedSpan).filter((span) => span !== undefined);
}

/** The same for what a handler said of its own span. */
export function checkedNotes(notes: unknown): HandlerSpanNotes | undefined {
  if (!isObject(notes)) return undefined;
  const attributes = checkedAttributes(notes['attributes']);
  return {
    ...(attributes !== NO_ATTRIBUTES && { attributes }), events: checkedEvents(notes['events']), links: checkedLinks(notes['links']),
    error: checkedError(notes['error']),
  };
}

function checkedSpan(span: unknown): SpanRecord | undefined {
  if (!isObject(span)) return undefined;
  const { traceId, spanId, parentSpanId, name, kind, startTime, durationMs, stepName } = span;
  if (!fits(traceId, TRACE_ID) || !fits(spanId, SPAN_ID) || typeof name !== 'string' || !KINDS.has(kind)) return undefined;
  if (!Number.isFinite(startTime) || !Number.isFinite(durationMs) || (durationMs as number) < 0) return undefined;
  return {
    traceId, spanId, parentSpanId: fits(parentSpanId, SPAN_ID) ? parentSpanId : undefined, name: name.slice(0, LONGEST.name), kind: kind as SpanKind,
    startTime: startTime as number, durationMs: durationMs as number, error: checkedError(span['error']),
    stepName: typeof stepName === 'string' ? stepName.slice(0, LONGEST.name) : '', attributes: checkedAttributes(span['attributes']),
    events: checkedEvents(span['events']), links: checkedLinks(span['links']),
  };
}

/** Attributes of the right form, at most `most` of them. */
export function checkedAttributes(attributes: unknown, most: number = MOST.attributes): Attributes {
  if (!isObject(attributes)) return NO_ATTRIBUTES;
  const kept: [string, AttributeValue][] = [];
  for (const [key, raw] of Object.entries(attributes)) {
    const value = checkedValue(raw);
    if (value !== undefined) kept.push([key.slice(0, LONGEST.name), value]);
    if (kept.length === most) break;
  }
  return kept.length === 0 ? NO_ATTRIBUTES : Object.fromEntries(kept);
}

function checkedValue(value: unknown): AttributeValue | undefined {
  if (typeof value === 'string') return value.slice(0, LONGEST.text);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return Array.isArray(value) ? value.slice(0, MOST.items).map((item) => String(item).slice(0, LONGEST.text)) : undefined;
}

function checkedEvents(events: unknown): readonly SpanEvent[] | undefined {
  if (!Array.isArray(events)) return undefined;
  return events.slice(0, MOST.events).filter((event: unknown) => isObject(event) && typeof event['name'] === 'string' && Number.isFinite(event['time']))
    .map(({ name, time, attributes }: SpanEvent) => ({ name: name.slice(0, LONGEST.name), time, attributes: checkedAttributes(attributes) }));
}

function checkedLinks(links: unknown): readonly string[] | undefined {
  if (!Array.isArray(links)) return undefined;
  return links.slice(0, MOST.links).filter((link) => fits(link, TRACEPARENT));
}

function checkedError(error: unknown): SpanRecord['error'] {
  if (!isObject(error) || typeof error['type'] !== 'string' || typeof error['message'] !== 'string') return undefined;
  const { type, message, stack } = error as { type: string; message: string; stack?: unknown };
  return {
    type: type.slice(0, LONGEST.name), message: message.slice(0, LONGEST.text),
    ...(typeof stack === 'string' && { stack: stack.slice(0, LONGEST.stack) }),
  };
}

function fits(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
