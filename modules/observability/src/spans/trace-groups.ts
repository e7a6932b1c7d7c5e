import { patternOf } from '../logs/log-patterns.js';
import type { SpanRing } from './span-ring.js';
import type { TraceIndex } from './trace-index.js';
import { matchingTraces, type TraceConditions } from './trace-search.js';
import { TRACE_TARGET } from './trace-target.js';
import type { TraceSummary } from './trace-summary.js';

/** Traces that have one value of a field. */
export interface TraceGroup {
  /** Of errors with `<n>` and `<id>` for what differs from one to the next. What is longer than 200 characters ends there with `…`. */
  readonly value: string;
  readonly count: number;
  /** Traces in which something failed. */
  readonly failed: number;
  /** Until the last effect, milliseconds. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly longestMs: number;
  /** Start of the latest, milliseconds since the epoch. */
  readonly lastAt: number;
  /** Id of the latest. */
  readonly latest: string;
}

/** Traces by the values of a field. One with several values, such as two Steps, is in the group of each. */
export interface TraceGroups {
  /** The most frequent first. */
  readonly items: readonly TraceGroup[];
  /** Traces that match. */
  readonly total: number;
  /** Those of them that lack the field. */
  readonly without: number;
  /** Groups that are not among `items`; at most so many where there are more than 5,000 values. */
  readonly omitted: number;
}

/** What traces are grouped by. */
export interface TraceGrouping extends TraceConditions {
  /** A field of the query language, or the name of an attribute. */
  readonly by: string;
  /** Most groups, from 1. */
  readonly limit: number;
}

/** Values that are told apart. */
const MOST_VALUES = 5_000;
const LONGEST_VALUE = 200;
const [MEDIAN, TAIL] = [0.5, 0.95];

/** Counts all matching traces, on any page or not. */
export function groupTraces(ring: SpanRing, index: TraceIndex, { by, limit, ...conditions }: TraceGrouping): TraceGroups {
  const members = new Map<string, TraceSummary[]>();
  let [total, without, omitted] = [0, 0, 0];
  for (const trace of matchingTraces(ring, index, conditions)) {
    total += 1;
    const values = new Set(TRACE_TARGET.values(trace, by).map((value) => textOf(value, by)));
    if (values.size === 0) without += 1;
    for (const value of values) {
      const known = members.get(value);
      if (known) known.push(trace.summary);
      else if (members.size < MOST_VALUES) members.set(value, [trace.summary]);
      else omitted += 1;
    }
  }
  const items = [...members].map(groupOf).sort((a, b) => b.count - a.count || b.lastAt - a.lastAt);
  return { items: items.slice(0, limit), total, without, omitted: omitted + Math.max(0, items.length - limit) };
}

function groupOf([value, traces]: readonly [string, readonly TraceSummary[]]): TraceGroup {
  const times = traces.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  const at = (part: number): number => times[Math.min(times.length - 1, Math.floor(times.length * part))] as number;
  const { startTime, traceId } = traces.reduce((latest, one) => (one.startTime > latest.startTime ? one : latest));
  return { value, count: traces.length, failed: traces.filter(({ errors }) => errors > 0).length, p50Ms: at(MEDIAN), p95Ms: at(TAIL), longestMs: at(1), lastAt: startTime, latest: traceId };
}

function textOf(value: unknown, by: string): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
  // An id that is cut is not known as one.
  const whole = by === 'error' ? patternOf(text) : text;
  return whole.length > LONGEST_VALUE ? `${whole.slice(0, LONGEST_VALUE)}…` : whole;
}
