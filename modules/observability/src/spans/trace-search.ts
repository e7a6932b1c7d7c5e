import { matchesWithin, textMatch, type TextMatch } from '@treadle/api';
import { safeSpan, safeText } from '../redaction/safe-span.js';
import type { SpanRing } from './span-ring.js';
import type { TraceIndex } from './trace-index.js';
import type { AskedTrace } from './trace-target.js';
import type { TraceSummary } from './trace-summary.js';

/** What traces are wanted; every condition must hold. */
export interface TraceConditions {
  /** A span of this Step is among its spans. */
  readonly step?: string | undefined;
  /** Route pattern of one of its spans, e.g. `/orders/:id`. */
  readonly route?: string | undefined;
  readonly status?: 'ok' | 'error' | undefined;
  /** Milliseconds until the last effect. */
  readonly minDurationMs?: number | undefined;
  readonly maxDurationMs?: number | undefined;
  /** Start, in milliseconds since the epoch; `to` is not included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** In a name, an attribute or an error of one of its spans, whatever the case. */
  readonly text?: string | undefined;
  /** Values of attributes that one and the same span has. */
  readonly attributes?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Of the query language; see `TRACE_TARGET`. */
  readonly asked?: ((trace: AskedTrace) => boolean) | undefined;
}

/** Which traces to find. */
export interface TraceQuery extends TraceConditions {
  /** From 1. */
  readonly limit: number;
  /** Of a former page. */
  readonly cursor?: string | undefined;
}

/** Traces, the latest first. */
export interface TracePage {
  readonly items: readonly TraceSummary[];
  /** How many match, on this page or not. */
  readonly total: number;
  readonly cursor?: string;
}

/** With the number that the next span would have had: what ends from then on is told to who follows since it. */
export interface MarkedTracePage extends TracePage {
  readonly end: number;
}

/** Finds traces among the spans that are kept. */
export function searchTraces(ring: SpanRing, index: TraceIndex, query: TraceQuery): TracePage {
  const found = [...matchingTraces(ring, index, query)].map(({ summary }) => summary);
  found.sort((a, b) => b.startTime - a.startTime || (a.traceId < b.traceId ? 1 : -1));
  return page(found, query);
}

/** All of them, in no order. */
export function* matchingTraces(ring: SpanRing, index: TraceIndex, conditions: TraceConditions): Generator<AskedTrace> {
  const fits = spanConditions(ring, conditions);
  for (const trace of index.traces()) {
    if (!fits.every((condition) => trace.rows.some(condition))) continue;
    if (summaryFits(trace.summary, conditions) && (!conditions.asked || conditions.asked(trace))) yield trace;
  }
}

function page(found: readonly TraceSummary[], { limit, cursor }: TraceQuery): TracePage {
  const at = cursor === undefined ? undefined : position(cursor);
  const rest = at === undefined ? found : found.filter((trace) => isAfter(trace, at));
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return { items, total: found.length, ...last && rest.length > items.length ? { cursor: `${last.startTime}:${last.traceId}` } : {} };
}

interface Position { readonly startTime: number; readonly traceId: string }

/** Undefined for what is no cursor. */
export function position(cursor: string): Position | undefined {
  const [, time, traceId] = /^(\d+(?:\.\d+)?):([0-9a-f]{32})$/.exec(cursor) ?? [];
  return time === undefined || traceId === undefined ? undefined : { startTime: Number(time), traceId };
}

function isAfter(trace: TraceSummary, { startTime, traceId }: Position): boolean {
  return trace.startTime < startTime || (trace.startTime === startTime && trace.traceId < traceId);
}

function summaryFits({ errors, durationMs, startTime }: TraceSummary, query: TraceConditions): boolean {
  const { status, minDurationMs = 0, maxDurationMs = Infinity, from = -Infinity, to = Infinity } = query;
  if (status !== undefined && (errors > 0) !== (status === 'error')) return false;
  return durationMs >= minDurationMs && durationMs <= maxDurationMs && startTime >= from && startTime < to;
}

type RowCondition = (row: number) => boolean;

function spanConditions(ring: SpanRing, { step, route, text, attributes }: TraceConditions): readonly RowCondition[] {
  const conditions: RowCondition[] = [];
  if (step !== undefined) conditions.push((row) => ring.stepName(row) === step);
  if (route !== undefined) conditions.push((row) => ring.attributesOf(row)['http.route'] === route);
  if (attributes !== undefined) conditions.push((row) => hasAttributes(ring, row, Object.entries(attributes)));
  if (text !== undefined && text !== '') conditions.push(withText(ring, textMatch(text)));
  return conditions;
}

function hasAttributes(ring: SpanRing, row: number, wanted: readonly (readonly [string, unknown])[]): boolean {
  const { attributes } = safeSpan(ring.span(row));
  return wanted.every(([key, value]) => String(attributes[key]) === String(value));
}

/** What is redacted is not found: a search must not tell what it is. */
function withText(ring: SpanRing, matches: TextMatch): RowCondition {
  return (row) => {
    const name = ring.name(row);
    if ((matches(name) && matches(safeText(name))) || matches(ring.stepName(row))) return true;
    const { attributes, error, events } = ring.span(row);
    if (!matchesWithin([attributes, error, events], matches)) return false;
    const safe = safeSpan(ring.span(row));
    return matchesWithin([safe.attributes, safe.error, safe.events], matches);
  };
}
