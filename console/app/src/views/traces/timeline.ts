import type { SpanRow } from '../../api/types.generated.js';
import { duration } from '../../format/duration.js';

/** A line of the waterfall: a span, or the time before it in which its message waited. */
export type Line = { readonly type: 'span'; readonly key: string; readonly span: SpanRow; readonly depth: number } | { readonly type: 'wait'; readonly key: string; readonly span: SpanRow; readonly depth: number };

/** Spans and waits as lines, without what is below folded spans. */
export function linesOf(rows: readonly SpanRow[], folded: ReadonlySet<string>, only: (span: SpanRow) => boolean): readonly Line[] {
  const lines: Line[] = [];
  let hiddenBelow = Infinity;
  for (const span of rows) {
    if (span.depth > hiddenBelow) continue;
    hiddenBelow = folded.has(span.spanId) ? span.depth : Infinity;
    if (!only(span)) continue;
    if (span.wait) lines.push({ type: 'wait', key: `${span.spanId} wait`, span, depth: span.depth });
    lines.push({ type: 'span', key: span.spanId, span, depth: span.depth });
  }
  return lines;
}

/** A span and what is below it: rows come depth first. */
export function descendants(rows: readonly SpanRow[], spanId: string): readonly SpanRow[] {
  const at = rows.findIndex((row) => row.spanId === spanId);
  const end = rows.findIndex(({ depth }, index) => index > at && depth <= (rows[at]?.depth ?? 0));
  return rows.slice(at, end === -1 ? undefined : end);
}

/** A stretch of time of a trace, milliseconds. */
export interface Extent {
  readonly from: number;
  readonly lengthMs: number;
  /** How long after the beginning of the trace it begins. */
  readonly offsetMs: number;
}

export function extentOf(rows: readonly SpanRow[]): Extent {
  let [from, to] = [Infinity, -Infinity];
  for (const { startTime, durationMs, wait } of rows) {
    from = Math.min(from, startTime, wait?.startTime ?? Infinity);
    to = Math.max(to, startTime + durationMs);
  }
  return rows.length === 0 ? { from: 0, lengthMs: 1, offsetMs: 0 } : { from, lengthMs: Math.max(to - from, SHORTEST_MS), offsetMs: 0 };
}

const STEPS = [1, 2, 5];
/** Nothing shorter is shown. */
const SHORTEST_MS = 0.001;
const TICKS = 5;

/** Some four to six round marks of a stretch: milliseconds since the beginning of the trace, and how they are written. */
export function ticksOf({ lengthMs, offsetMs }: Pick<Extent, 'lengthMs' | 'offsetMs'>): readonly { readonly at: number; readonly text: string }[] {
  const rough = lengthMs / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((one) => one * power >= rough) ?? 10) * power;
  const first = Math.ceil(offsetMs / step);
  const marks = Array.from({ length: Math.floor((offsetMs + lengthMs) / step) - first + 1 }, (_, index) => (first + index) * step);
  return marks.map((at) => ({ at, text: at === 0 ? '0' : offsetMs === 0 && lengthMs >= 1 ? duration(at) : exactTime(at, step) }));
}

/** With as many digits as tell marks apart that are so far from each other. */
function exactTime(at: number, stepMs: number): string {
  const digits = (step: number): number => Math.max(0, -Math.floor(Math.log10(step)));
  return at < 1000 ? `${at.toFixed(digits(stepMs))} ms` : `${(at / 1000).toFixed(digits(stepMs / 1000))} s`;
}

/** Part of a trace as it stands in the address: `12.5-30`, milliseconds since its beginning. The whole trace when there is none, or none that can be. */
export function zoomed(whole: Extent, text: string): Extent {
  const [, from, to] = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const [begin, end] = [Number(from), Math.min(whole.lengthMs, Number(to))];
  return end - begin >= SHORTEST_MS ? { from: whole.from + begin, lengthMs: end - begin, offsetMs: begin } : whole;
}

/** For the address; null for the whole trace, and for what is too short to be shown. What reaches out of it is cut off. */
export function zoomText({ lengthMs }: Extent, from: number, to: number): string | null {
  const [begin, end] = [Math.max(0, from), Math.min(lengthMs, to)];
  return end - begin < SHORTEST_MS || (begin === 0 && end === lengthMs) ? null : stretchAs(begin, end);
}

/** For the address: what is shown, however short it is. */
export function extentText({ offsetMs, lengthMs }: Extent): string {
  return stretchAs(offsetMs, offsetMs + lengthMs);
}

const stretchAs = (begin: number, end: number): string => `${Number(begin.toFixed(3))}-${Number(end.toFixed(3))}`;

/** Of a trace that began with a request: until its answer, milliseconds. */
export function replyOf(rows: readonly SpanRow[]): number | undefined {
  return rows.find(({ kind, depth }) => kind === 'server' && depth === 0)?.durationMs;
}

/** How a trace ended, or what it waits for. */
export interface TraceEnd {
  readonly tone: 'ok' | 'bad' | 'warn' | 'info';
  readonly words: string;
  /** When the first of the messages that wait is due; milliseconds since the epoch. */
  readonly nextAt?: number;
}

/** The last attempt of each message decides how a trace ended. */
export function endOf(rows: readonly SpanRow[]): TraceEnd {
  const last = new Map<string, SpanRow>();
  for (const span of rows) if (span.kind === 'consumer') last.set(`${String(span.attributes['messaging.message.id'])} ${span.stepName}`, span);
  const attempts = [...last.values()];
  const dead = attempts.filter(({ attributes }) => attributes['queue.outcome'] === 'dead').length;
  const retried = attempts.filter(({ attributes }) => attributes['queue.outcome'] === 'retry');
  const waiting = retried.length;
  const retries = rows.filter(({ attempt }) => (attempt ?? 1) > 1).length;
  if (dead > 0) return { tone: 'bad', words: `failed: ${dead === 1 ? 'a message became a dead letter' : `${dead} messages became dead letters`}` };
  if (waiting > 0) return { tone: 'warn', words: `failing: ${waiting === 1 ? 'a message waits' : `${waiting} messages wait`} for the next attempt`, ...earliest(retried.map(nextAttemptOf)) };
  const failed = rows.find(({ error, kind, depth }) => error && (kind === 'server' || depth === 0));
  if (failed) return { tone: 'bad', words: `failed: ${failed.error?.message ?? ''}` };
  return retries > 0 ? { tone: 'ok', words: `settled after ${retries === 1 ? 'a retry' : `${retries} retries`}` } : { tone: 'ok', words: 'settled' };
}

/** When the next attempt is due, of a span of an attempt that will be repeated. */
export function nextAttemptOf({ attributes }: SpanRow): number | undefined {
  const at = Number(attributes['queue.next_attempt_at']);
  return at > 0 ? at : undefined;
}

function earliest(times: readonly (number | undefined)[]): Pick<TraceEnd, 'nextAt'> {
  const known = times.filter((at) => at !== undefined);
  return known.length === 0 ? {} : { nextAt: Math.min(...known) };
}
