import type { SpanRecord } from '@treadle/api';
import { safeError, safeText } from '../redaction/safe-span.js';
import { attemptOf } from './enqueued-at.js';
import { NONE } from './no-place.js';
import type { SpanTree } from './span-tree.js';
import { summarize, type TraceSummary } from './trace-summary.js';

/** A span of one of the two traces. */
export interface ComparedSpan {
  readonly spanId: string;
  /** From the beginning of its trace, in milliseconds. */
  readonly offsetMs: number;
  readonly durationMs: number;
  /** From 1; only of consumers. */
  readonly attempt?: number | undefined;
  readonly error?: { readonly type: string; readonly message: string } | undefined;
  /** Of the answer to a request. */
  readonly status?: number | undefined;
}

/** The same span of both traces, or one that only one of them has. */
export interface ComparedRow {
  /** 0 for a root. */
  readonly depth: number;
  readonly name: string;
  readonly kind: SpanRecord['kind'];
  readonly stepName: string;
  /** From 1: which of the spans alike below the same one. */
  readonly occurrence: number;
  readonly a?: ComparedSpan | undefined;
  readonly b?: ComparedSpan | undefined;
  /** How much longer it took in b, in milliseconds. */
  readonly deltaMs?: number | undefined;
}

/** In what two traces first went different ways. */
export interface Divergence {
  readonly reason: 'only in a' | 'only in b' | 'error' | 'status';
  readonly row: ComparedRow;
}

/** Two traces side by side. */
export interface TraceComparison {
  readonly a: TraceSummary;
  readonly b: TraceSummary;
  readonly matched: number;
  readonly onlyInA: number;
  readonly onlyInB: number;
  /** The earliest difference but those of duration; absent when there is none. */
  readonly divergence?: Divergence;
  /** Depth first, by their start in a, else in b. */
  readonly rows: readonly ComparedRow[];
  /** Rows that are left out because there are more than were asked for. */
  readonly omitted: number;
}

/** Places in both trees; `NONE` in one that lacks the span. */
interface Pair {
  readonly a: number;
  readonly b: number;
  readonly depth: number;
  readonly occurrence: number;
}

/** Compares two traces: spans are the same when those above them are, and kind, name, Step and occurrence. */
export function compareTraces(a: SpanTree, b: SpanTree, limit: number): TraceComparison {
  const counts = { matched: 0, onlyInA: 0, onlyInB: 0 };
  const rows: ComparedRow[] = [];
  let first: { readonly at: number; readonly divergence: Divergence } | undefined;
  for (const pair of pairs(a, b)) {
    const row = rowOf(a, b, pair);
    const reason = differenceOf(row);
    if (!row.b) counts.onlyInA += 1;
    else counts[row.a ? 'matched' : 'onlyInB'] += 1;
    if (reason !== undefined && (!first || momentOf(row) < first.at)) first = { at: momentOf(row), divergence: { reason, row } };
    if (rows.length < limit) rows.push(row);
  }
  const omitted = counts.matched + counts.onlyInA + counts.onlyInB - rows.length;
  return { a: summaryOf(a), b: summaryOf(b), ...counts, ...first && { divergence: first.divergence }, rows, omitted };
}

function summaryOf({ ring, rows }: SpanTree): TraceSummary {
  return summarize(ring, ring.traceId(rows[0] as number), rows);
}

function* pairs(a: SpanTree, b: SpanTree): Generator<Pair> {
  const waiting = below(a, b, { a: NONE, b: NONE, depth: -1, occurrence: 1 });
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    yield pair;
    for (const child of below(a, b, pair)) waiting.push(child);
  }
}

/** The pairs below a pair, the last one first. */
function below(a: SpanTree, b: SpanTree, above: Pair): Pair[] {
  const depth = above.depth + 1;
  const [ofA, ofB] = [childrenOf(a, above.a, depth), childrenOf(b, above.b, depth)];
  const found: Pair[] = [];
  for (const [key, place] of ofA) found.push({ a: place, b: ofB.get(key) ?? NONE, depth, occurrence: occurrenceOf(key) });
  for (const [key, place] of ofB) if (!ofA.has(key)) found.push({ a: NONE, b: place, depth, occurrence: occurrenceOf(key) });
  return found.sort((one, other) => startOf(a, b, other) - startOf(a, b, one));
}

/** By what makes them the same, ending with their occurrence. */
function childrenOf(tree: SpanTree, parent: number, depth: number): ReadonlyMap<string, number> {
  const children = new Map<string, number>();
  const occurrences = new Map<string, number>();
  const add = (place: number): void => {
    const { ring } = tree;
    const row = tree.row(place);
    const alike = JSON.stringify([ring.kind(row), ring.name(row), ring.stepName(row)]);
    const occurrence = (occurrences.get(alike) ?? 0) + 1;
    occurrences.set(alike, occurrence);
    children.set(`${alike} ${occurrence}`, place);
  };
  if (parent !== NONE) for (let child = tree.firstChild[parent] as number; child !== NONE; child = tree.nextSibling[child] as number) add(child);
  else if (depth === 0) for (const place of tree.parents.keys()) if (tree.parents[place] === NONE) add(place);
  return children;
}

function occurrenceOf(key: string): number {
  return Number(key.slice(key.lastIndexOf(' ') + 1));
}

function startOf(a: SpanTree, b: SpanTree, pair: Pair): number {
  return pair.a === NONE ? offsetOf(b, pair.b) : offsetOf(a, pair.a);
}

function offsetOf({ starts }: SpanTree, place: number): number {
  return (starts[place] as number) - (starts[0] as number);
}

function rowOf(treeA: SpanTree, treeB: SpanTree, { a, b, depth, occurrence }: Pair): ComparedRow {
  const [tree, place] = a === NONE ? [treeB, b] : [treeA, a];
  const row = tree.row(place);
  const [ofA, ofB] = [spanOf(treeA, a), spanOf(treeB, b)];
  return {
    depth, name: safeText(tree.ring.name(row)), kind: tree.ring.kind(row), stepName: tree.ring.stepName(row), occurrence,
    a: ofA, b: ofB, deltaMs: ofA && ofB && ofB.durationMs - ofA.durationMs,
  };
}

function spanOf(tree: SpanTree, place: number): ComparedSpan | undefined {
  if (place === NONE) return undefined;
  const row = tree.row(place);
  const { spanId, kind, durationMs, attributes, error } = tree.ring.span(row);
  const status = attributes['http.response.status_code'];
  const safe = safeError(error);
  return {
    spanId, offsetMs: offsetOf(tree, place), durationMs, attempt: kind === 'consumer' ? attemptOf(attributes) : undefined,
    error: safe && { type: safe.type, message: safe.message }, status: typeof status === 'number' ? status : undefined,
  };
}

function differenceOf({ a, b }: ComparedRow): Divergence['reason'] | undefined {
  if (!b) return 'only in a';
  if (!a) return 'only in b';
  if (a.error?.type !== b.error?.type || a.error?.message !== b.error?.message) return 'error';
  return a.status === b.status ? undefined : 'status';
}

/** A span that is missing shows at its start, how one went at its end. */
function momentOf({ a, b }: ComparedRow): number {
  if (!a || !b) return (a ?? b)?.offsetMs ?? 0;
  return Math.min(a.offsetMs + a.durationMs, b.offsetMs + b.durationMs);
}
