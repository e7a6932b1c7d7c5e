import { AdminError, type SpanRecord } from '@treadle/api';
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
  /** Of one that reads state. */
  readonly state?: ComparedState | undefined;
}

/** What of state was read, and whether there was something. */
export interface ComparedState {
  readonly group: string;
  readonly key: string;
  readonly found: boolean;
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
  readonly reason: 'only in a' | 'only in b' | 'error' | 'status' | 'state';
  readonly row: ComparedRow;
}

/** Two traces side by side. */
export interface TraceComparison {
  readonly a: TraceSummary;
  readonly b: TraceSummary;
  readonly matched: number;
  readonly onlyInA: number;
  readonly onlyInB: number;
  /** The earliest difference but those of duration; absent when there is none. What a failed run did not get to is none of its own. */
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
  /** One run lacks it because it had failed by then. */
  readonly follows?: boolean;
}

/** A trace, or what is at and below one of its spans. */
interface Side {
  readonly tree: SpanTree;
  /** `NONE`: the whole trace. */
  readonly from: number;
}

/** Where to begin in each of the two traces. */
export interface ComparedFrom {
  readonly aSpan?: string | undefined;
  readonly bSpan?: string | undefined;
}

/** Compares two traces: spans are the same when those above them are, and kind, name, Step and occurrence. The two spans of `from` are taken to be the same. */
export function compareTraces(treeA: SpanTree, treeB: SpanTree, limit: number, { aSpan, bSpan }: ComparedFrom = {}): TraceComparison {
  const [a, b] = [{ tree: treeA, from: placeOf(treeA, aSpan) }, { tree: treeB, from: placeOf(treeB, bSpan) }];
  const counts = { matched: 0, onlyInA: 0, onlyInB: 0 };
  const rows: ComparedRow[] = [];
  let first: { readonly at: number; readonly divergence: Divergence } | undefined;
  for (const pair of pairs(a, b)) {
    const row = rowOf(a, b, pair);
    const reason = differenceOf(row);
    if (!row.b) counts.onlyInA += 1;
    else counts[row.a ? 'matched' : 'onlyInB'] += 1;
    if (reason !== undefined && !pair.follows && (!first || momentOf(row) < first.at)) first = { at: momentOf(row), divergence: { reason, row } };
    if (rows.length < limit) rows.push(row);
  }
  const omitted = counts.matched + counts.onlyInA + counts.onlyInB - rows.length;
  return { a: summaryOf(treeA), b: summaryOf(treeB), ...counts, ...first && { divergence: first.divergence }, rows, omitted };
}

function summaryOf({ ring, rows }: SpanTree): TraceSummary {
  return summarize(ring, ring.traceId(rows[0] as number), rows);
}

/** @throws AdminError when the trace has no such span */
function placeOf(tree: SpanTree, spanId: string | undefined): number {
  if (spanId === undefined) return NONE;
  const place = tree.rows.findIndex((row) => tree.ring.spanId(row) === spanId);
  if (place === NONE) throw new AdminError(404, 'not_found', `trace ${tree.ring.traceId(tree.row(0))} has no span "${spanId}"`);
  return place;
}

function* pairs(a: Side, b: Side): Generator<Pair> {
  const top = { a: NONE, b: NONE, depth: -1, occurrence: 1 };
  const waiting = a.from === NONE || b.from === NONE ? below(a, b, top) : [{ ...top, a: a.from, b: b.from, depth: 0 }];
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    yield pair;
    for (const child of below(a, b, pair)) waiting.push(child);
  }
}

/** The pairs below a pair, the last one first. */
function below(a: Side, b: Side, above: Pair): Pair[] {
  const depth = above.depth + 1;
  const [ofA, ofB] = [childrenOf(a.tree, above.a, depth), childrenOf(b.tree, above.b, depth)];
  const found: Pair[] = [];
  for (const [key, place] of ofA) found.push({ a: place, b: ofB.get(key) ?? NONE, depth, occurrence: occurrenceOf(key) });
  for (const [key, place] of ofB) if (!ofA.has(key)) found.push({ a: NONE, b: place, depth, occurrence: occurrenceOf(key) });
  return withConsequences(a, b, above, found).sort((one, other) => startOf(a, b, other) - startOf(a, b, one));
}

/**
 * Of the spans below a pair of which one run alone failed, those that the other run began after all that both have: the failed run did not get to
 * them. Times of one run say nothing of when the other failed, so the order within the run that did not fail decides.
 */
function withConsequences(a: Side, b: Side, above: Pair, pairs: readonly Pair[]): Pair[] {
  if (above.follows) return pairs.map((pair) => ({ ...pair, follows: true }));
  const [failedInA, failedInB] = [hasFailed(a, above.a), hasFailed(b, above.b)];
  if (failedInA === failedInB || above.a === NONE || above.b === NONE) return [...pairs];
  const [whole, failed, side] = failedInA ? ['b', 'a', b] as const : ['a', 'b', a] as const;
  const last = Math.max(-1, ...pairs.filter((pair) => pair.a !== NONE && pair.b !== NONE).map((pair) => offsetOf(side, pair[whole])));
  return pairs.map((pair) => (pair[failed] === NONE && offsetOf(side, pair[whole]) > last ? { ...pair, follows: true } : pair));
}

function hasFailed({ tree }: Side, place: number): boolean {
  return place !== NONE && tree.ring.span(tree.row(place)).error !== undefined;
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

function startOf(a: Side, b: Side, pair: Pair): number {
  return pair.a === NONE ? offsetOf(b, pair.b) : offsetOf(a, pair.a);
}

function offsetOf({ tree: { starts }, from }: Side, place: number): number {
  return (starts[place] as number) - (starts[from === NONE ? 0 : from] as number);
}

function rowOf(sideA: Side, sideB: Side, { a, b, depth, occurrence }: Pair): ComparedRow {
  const [{ tree }, place] = a === NONE ? [sideB, b] : [sideA, a];
  const row = tree.row(place);
  const [ofA, ofB] = [spanOf(sideA, a), spanOf(sideB, b)];
  return {
    depth, name: safeText(tree.ring.name(row)), kind: tree.ring.kind(row), stepName: tree.ring.stepName(row), occurrence,
    a: ofA, b: ofB, deltaMs: ofA && ofB && ofB.durationMs - ofA.durationMs,
  };
}

function spanOf(side: Side, place: number): ComparedSpan | undefined {
  if (place === NONE) return undefined;
  const { tree } = side;
  const { spanId, kind, durationMs, attributes, error } = tree.ring.span(tree.row(place));
  const status = attributes['http.response.status_code'];
  const safe = safeError(error);
  return {
    spanId, offsetMs: offsetOf(side, place), durationMs, attempt: kind === 'consumer' ? attemptOf(attributes) : undefined,
    error: safe && { type: safe.type, message: safe.message }, status: typeof status === 'number' ? status : undefined, state: error ? undefined : stateOf(attributes),
  };
}

/** Only of one that reads: what another leaves behind follows from what was read. */
function stateOf(attributes: SpanRecord['attributes']): ComparedState | undefined {
  const { 'state.operation': operation, 'state.group': group, 'state.key': key } = attributes;
  if ((operation !== 'get' && operation !== 'getEntry') || typeof group !== 'string' || typeof key !== 'string') return undefined;
  return { group: safeText(group), key: safeText(key), found: attributes['state.rev.after'] !== undefined };
}

function differenceOf({ a, b }: ComparedRow): Divergence['reason'] | undefined {
  if (!b) return 'only in a';
  if (!a) return 'only in b';
  if (a.error?.type !== b.error?.type || a.error?.message !== b.error?.message) return 'error';
  if (a.status !== b.status) return 'status';
  return a.state?.found === b.state?.found ? undefined : 'state';
}

/** A span that is missing shows at its start, how one went at its end. */
function momentOf({ a, b }: ComparedRow): number {
  if (!a || !b) return (a ?? b)?.offsetMs ?? 0;
  return Math.min(a.offsetMs + a.durationMs, b.offsetMs + b.durationMs);
}
