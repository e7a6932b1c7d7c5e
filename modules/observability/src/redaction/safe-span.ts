import { type AttributeValue, type Attributes, isSecretField, REDACTED, redactText, type SpanEvent, type SpanRecord } from '@treadle/api';

/** Longest text that is shown of an attribute, a message or a stack, in characters. */
export const MAX_TEXT = 8192;
/** Most attributes that are shown of a span or event. */
export const MAX_ATTRIBUTES = 128;

/** Texts up to this length come again and again (names, topics, outcomes): those without a secret are remembered. */
const SHORT = 24;
const MOST_CLEAN = 4096;
const clean = new Set<string>();

/** A text cut to what is shown, without secrets. */
export function safeText(text: string): string {
  if (text.length > SHORT) return safeLongText(text);
  if (clean.has(text)) return text;
  const safe = redactText(text);
  if (safe !== text) return safe;
  if (clean.size === MOST_CLEAN) clean.clear();
  clean.add(text);
  return text;
}

function safeLongText(text: string): string {
  return text.length <= MAX_TEXT ? redactText(text) : `${redactText(text.slice(0, MAX_TEXT))}… [truncated]`;
}

/** Attributes without secrets, of bounded size; the same object when nothing had to change. */
export function safeAttributes(attributes: Attributes): Attributes {
  let copy: Record<string, AttributeValue> | undefined;
  let count = 0;
  for (const key in attributes) {
    count += 1;
    if (count > MAX_ATTRIBUTES) return firstOf(copy ?? attributes);
    const value = attributes[key] as AttributeValue;
    const safe = safeAttribute(key, value);
    if (safe === value) continue;
    copy ??= { ...attributes };
    copy[key] = safe;
  }
  return copy ?? attributes;
}

/** The value of one attribute without secrets. */
export function safeAttribute(name: string, value: AttributeValue): AttributeValue {
  return isSecretField(name, value) ? REDACTED : safeValue(value);
}

function firstOf(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).slice(0, MAX_ATTRIBUTES));
}

/** The span as it may be shown or sent. What is kept stays as it is: redaction would cost more than all else at ingest. */
export function safeSpan(span: SpanRecord): SpanRecord {
  const { traceId, spanId, parentSpanId, kind, startTime, durationMs, stepName, links } = span;
  return {
    traceId, spanId, parentSpanId, name: safeText(span.name), kind, startTime, durationMs, stepName, attributes: safeAttributes(span.attributes),
    error: safeError(span.error), events: safeEvents(span.events), links,
  };
}

/** The error without secrets. */
export function safeError(error: SpanRecord['error']): SpanRecord['error'] {
  if (error === undefined) return undefined;
  const { type, message, stack } = error;
  return { type, message: safeText(message), ...stack === undefined ? {} : { stack: safeText(stack) } };
}

/** The events without secrets. */
export function safeEvents(events: readonly SpanEvent[] | undefined): readonly SpanEvent[] | undefined {
  return events?.map(({ name, time, attributes }) => ({ name: safeText(name), time, ...attributes === undefined ? {} : { attributes: safeAttributes(attributes) } }));
}

function safeValue(value: AttributeValue): AttributeValue {
  if (typeof value === 'string') return safeText(value);
  if (typeof value !== 'object') return value;
  const copy = value.map(safeText);
  return copy.every((item, at) => item === value[at]) ? value : copy;
}
