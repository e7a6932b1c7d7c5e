import type { LogLevel, LogRecord } from '@treadle/api';
import { type LogFilter, matching } from './log-filter.js';
import type { KeptLog, LogRing } from './log-ring.js';

export interface LogQuery extends LogFilter {
  /** From 1. */
  readonly limit: number;
  /** `asc`: the oldest first. */
  readonly order: 'asc' | 'desc';
  /** Of a former page. */
  readonly cursor?: number | undefined;
}

/** Records in the order that was asked for. */
export interface LogPage {
  readonly items: readonly (LogRecord & { readonly id: number })[];
  /** How many match, on this page or not. */
  readonly total: number;
  readonly cursor?: number;
}

/** A record as clients see it. */
export function shown({ id, record }: Pick<KeptLog, 'id' | 'record'>): LogRecord & { readonly id: number } {
  return { id, ...record };
}

/** Finds records. */
export function searchLogs(ring: LogRing, query: LogQuery): LogPage {
  const { cursor, limit, order } = query;
  const ids = [...matching(ring, query)];
  const ordered = order === 'asc' ? ids : ids.reverse();
  const rest = cursor === undefined ? ordered : ordered.filter((id) => (order === 'asc' ? id > cursor : id < cursor));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map((id) => shown({ id, record: ring.record(id) })), total: ids.length,
    ...last !== undefined && rest.length > page.length ? { cursor: last } : {},
  };
}

/** How often the values of a field occur. */
export interface LogFacet {
  /** Dotted path; `level`, `stepName` and `service` are those of the record. */
  readonly field: string;
  /** Records that have the field. */
  readonly count: number;
  /** The most frequent first. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** There are more values than are counted one by one. */
  readonly truncated: boolean;
}

const MAX_FIELDS = 100;
const MAX_VALUES = 500;
const SHOWN_VALUES = 20;
const MAX_VALUE_LENGTH = 200;

interface Counting { count: number; truncated: boolean; readonly values: Map<string, number> }

/** Counts the values of every field among the records that pass; at most 100 fields. */
export function logFacets(ring: LogRing, filter: LogFilter): readonly LogFacet[] {
  const found = new Map<string, Counting>();
  for (const id of matching(ring, filter)) {
    const { level, stepName, service, fields } = ring.record(id);
    const own = { level, stepName, service };
    // A field of such a name is not meant.
    for (const [key, value] of Object.entries({ ...own, ...fields, ...own })) tally(found, key, value);
  }
  return [...found].map(([field, { count, truncated, values }]) => ({
    field, count, truncated: truncated || values.size > SHOWN_VALUES,
    values: [...values].sort(([, a], [, b]) => b - a).slice(0, SHOWN_VALUES).map(([value, times]) => ({ value, count: times })),
  }));
}

function tally(found: Map<string, Counting>, field: string, value: unknown): void {
  if (typeof value === 'object' && value !== null) return;
  const known = found.get(field);
  if (!known && found.size >= MAX_FIELDS) return;
  const counting = known ?? { count: 0, truncated: false, values: new Map<string, number>() };
  if (!known) found.set(field, counting);
  const text = String(value).slice(0, MAX_VALUE_LENGTH);
  counting.count += 1;
  if (counting.values.has(text) || counting.values.size < MAX_VALUES) counting.values.set(text, (counting.values.get(text) ?? 0) + 1);
  else counting.truncated = true;
}

/** A bar of the histogram. */
export interface LogBucket extends Readonly<Record<LogLevel, number>> {
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** Counts by level over time: `buckets` bars of equal width from `from`, or the oldest match, to `to`, or the latest. */
export function logHistogram(ring: LogRing, filter: LogFilter, buckets: number): { readonly widthMs: number; readonly buckets: readonly LogBucket[] } {
  const ids = [...matching(ring, filter)];
  const times = ids.map((id) => ring.time(id));
  const from = filter.from ?? times.reduce((least, time) => Math.min(least, time), Infinity);
  const to = filter.to ?? times.reduce((most, time) => Math.max(most, time), -Infinity) + 1;
  if (ids.length === 0 || to <= from) return { widthMs: 0, buckets: [] };
  const widthMs = Math.max(1, Math.ceil((to - from) / buckets));
  const bars = Array.from({ length: Math.ceil((to - from) / widthMs) }, (_, at) => ({ time: from + at * widthMs, debug: 0, info: 0, warn: 0, error: 0 }));
  for (const [at, id] of ids.entries()) {
    const bar = bars[Math.floor(((times[at] as number) - from) / widthMs)];
    if (bar) bar[ring.record(id).level] += 1;
  }
  return { widthMs, buckets: bars };
}
