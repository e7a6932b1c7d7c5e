import type { SpanRow } from '../../api/types.generated.js';

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

/** When a trace begins and how long it lasts, milliseconds. */
export interface Extent {
  readonly from: number;
  readonly lengthMs: number;
}

export function extentOf(rows: readonly SpanRow[]): Extent {
  let [from, to] = [Infinity, -Infinity];
  for (const { startTime, durationMs, wait } of rows) {
    from = Math.min(from, startTime, wait?.startTime ?? Infinity);
    to = Math.max(to, startTime + durationMs);
  }
  return rows.length === 0 ? { from: 0, lengthMs: 1 } : { from, lengthMs: Math.max(to - from, 0.001) };
}

const STEPS = [1, 2, 5];
const TICKS = 5;

/** Offsets of some four to six round marks within a length, milliseconds. */
export function ticksOf(lengthMs: number): readonly number[] {
  const rough = lengthMs / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (STEPS.find((one) => one * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, at) => at * step);
}

/** Of a request: until its answer, milliseconds. */
export function replyOf(rows: readonly SpanRow[]): number | undefined {
  return rows.find(({ kind }) => kind === 'server')?.durationMs;
}

/** The last attempt of each message decides how a trace ended. */
export function endOf(rows: readonly SpanRow[]): { readonly tone: 'ok' | 'bad' | 'warn'; readonly words: string } {
  const last = new Map<string, SpanRow>();
  for (const span of rows) if (span.kind === 'consumer') last.set(`${String(span.attributes['messaging.message.id'])} ${span.stepName}`, span);
  const outcomes = [...last.values()].map(({ attributes }) => attributes['queue.outcome']);
  const dead = outcomes.filter((outcome) => outcome === 'dead').length;
  const waiting = outcomes.filter((outcome) => outcome === 'retry').length;
  const retries = rows.filter(({ attempt }) => (attempt ?? 1) > 1).length;
  if (dead > 0) return { tone: 'bad', words: `failed: ${dead === 1 ? 'a message became a dead letter' : `${dead} messages became dead letters`}` };
  if (waiting > 0) return { tone: 'warn', words: `failing: ${waiting === 1 ? 'a message waits' : `${waiting} messages wait`} for the next attempt` };
  const failed = rows.find(({ error, kind, depth }) => error && (kind === 'server' || depth === 0));
  if (failed) return { tone: 'bad', words: `failed: ${failed.error?.message ?? ''}` };
  return retries > 0 ? { tone: 'ok', words: `settled after ${retries === 1 ? 'a retry' : `${retries} retries`}` } : { tone: 'ok', words: 'settled' };
}
