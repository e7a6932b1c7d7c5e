import type { SpanEvent, SpanNotes, WorkerSpan } from '@treadle/protocol';

export type Attributes = NonNullable<SpanNotes['attributes']>;
export type AttributeValue = Attributes[string];

/** Most attributes, events and links of a span, and attributes of an event. With all of them full it still fits into a frame. */
export const MAX_ATTRIBUTES = 64;
export const MAX_EVENTS = 32;
export const MAX_LINKS = 32;
const MAX_EVENT_ATTRIBUTES = 8;
const MAX_ITEMS = 16;
const MAX_ITEM = 256;
/** Longest texts, in characters. */
const MAX_TEXT = 2048;
const MAX_STACK = 8192;
const MAX_NAME = 256;

/** A name, cut to its limit. */
export function shortName(name: unknown): string {
  return String(name).slice(0, MAX_NAME);
}

/** A value as spans may carry it: texts are cut, lists become lists of texts; undefined for what cannot be one. */
function attributeValue(value: unknown): AttributeValue | undefined {
  switch (typeof value) {
    case 'string': return value.slice(0, MAX_TEXT);
    case 'boolean': return value;
    case 'number': return Number.isFinite(value) ? value : String(value);
    case 'bigint': return String(value);
    default: return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map((item) => String(item).slice(0, MAX_ITEM)) : undefined;
  }
}

/** Puts attributes into `to`, as many as it may have; a later value replaces an earlier one. */
export function putAttributes(to: Record<string, AttributeValue>, from: unknown, most = MAX_ATTRIBUTES): void {
  if (typeof from !== 'object' || from === null) return;
  let count = Object.keys(to).length;
  for (const [key, raw] of Object.entries(from)) {
    const value = attributeValue(raw);
    const name = key.slice(0, MAX_NAME);
    if (value === undefined) continue;
    if (!Object.hasOwn(to, name) && ++count > most) return;
    to[name] = value;
  }
}

/** An event as spans may carry it. `time`: milliseconds since the epoch. */
export function spanEvent(name: unknown, attributes: unknown, time: number): SpanEvent {
  const kept: Record<string, AttributeValue> = {};
  putAttributes(kept, attributes, MAX_EVENT_ATTRIBUTES);
  return Object.keys(kept).length === 0 ? { name: shortName(name), time } : { name: shortName(name), time, attributes: kept };
}

/** An error that code recorded: an Error, a text, or something like either. */
export function spanError(exception: unknown): NonNullable<WorkerSpan['error']> {
  if (typeof exception !== 'object' || exception === null) return { type: 'Error', message: String(exception).slice(0, MAX_TEXT) };
  const { name, code, message, stack } = exception as { name?: unknown; code?: unknown; message?: unknown; stack?: unknown };
  return {
    type: shortName(typeof name === 'string' && name !== '' ? name : code ?? 'Error'), message: String(message ?? '').slice(0, MAX_TEXT),
    ...(typeof stack === 'string' && { stack: stack.slice(0, MAX_STACK) }),
  };
}
