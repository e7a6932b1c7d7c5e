import type { SpanRecord } from '@treadle/api';
import { safeAttributes, safeError, safeEvents, safeText } from '../redaction/safe-span.js';
import { criticalPath, type CriticalPath } from './critical-path.js';
import { attemptOf } from './enqueued-at.js';
import { NONE } from './no-place.js';
import { type SpanTree, UNATTACHED } from './span-tree.js';

/** Time in which a message waited: in the queue, or for its next attempt. */
export interface Wait {
  readonly kind: 'queue' | 'backoff';
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  readonly durationMs: number;
}

/** A span as a line of the tree. */
export interface SpanRow extends SpanRecord {
  /** 0 for a root. */
  readonly depth: number;
  readonly children: number;
  readonly wait?: Wait | undefined;
  /** From 1; only of consumers. */
  readonly attempt?: number | undefined;
  readonly unattached?: (typeof UNATTACHED)[number];
  readonly critical: boolean;
}

/** A whole trace. */
export interface TraceView {
  readonly traceId: string;
  /** Depth first, children by their start: the order in which a tree is drawn. */
  readonly rows: readonly SpanRow[];
  /** Spans that are left out because there are more than were asked for. */
  readonly omitted: number;
  readonly path: CriticalPath;
}

/** Most spans of one answer. */
export const MAX_ROWS = 20_000;
/** Rows of one piece, some 64 KB. */
const ROWS_OF_PIECE = 128;
const COMMA = 0x2c;

/**
 * Draws up one trace: a `TraceView` as JSON in UTF-8. Piece by piece, as ten thousand rows and all of their text would be copied
 * by collections while the answer is made; bytes are not.
 */
export function* traceJson(traceId: string, tree: SpanTree, limit: number): Generator<Uint8Array> {
  const path = criticalPath(tree);
  const shown = Math.min(limit, tree.size);
  yield Buffer.from(`{"traceId":${JSON.stringify(traceId)},"rows":[`);
  for (let from = 0; from < shown; from += ROWS_OF_PIECE) {
    const rows: SpanRow[] = [];
    for (let at = from; at < shown && at < from + ROWS_OF_PIECE; at += 1) rows.push(rowOf(tree, tree.order[at] as number));
    const bytes = Buffer.from(JSON.stringify(rows));
    // Without its brackets; the first of them becomes the comma after the former piece.
    bytes[0] = COMMA;
    yield bytes.subarray(from === 0 ? 1 : 0, -1);
  }
  yield Buffer.from(`],"omitted":${tree.size - shown},"path":${JSON.stringify(path)}}`);
}

/** The children of one span, or the roots, by their start. */
export function childRows(tree: SpanTree, parent: string | undefined): readonly SpanRow[] {
  criticalPath(tree);
  const above = parent === undefined ? NONE : tree.rows.findIndex((row) => tree.ring.spanId(row) === parent);
  if (above === NONE && parent !== undefined) return [];
  return [...tree.parents.keys()].filter((place) => tree.parents[place] === above).map((place) => rowOf(tree, place));
}

/** Written out, as copies of objects with optional parts are slow and there may be ten thousand. */
function rowOf(tree: SpanTree, place: number): SpanRow {
  const { ring, depths, childCounts, critical, unattached } = tree;
  const { traceId, spanId, parentSpanId, name, kind, startTime, durationMs, stepName, attributes, error, events, links } = ring.span(tree.row(place));
  return {
    traceId, spanId, parentSpanId, name: safeText(name), kind, startTime, durationMs, stepName, attributes: safeAttributes(attributes),
    error: safeError(error), events: safeEvents(events), links,
    depth: depths[place] as number, children: childCounts[place] as number, critical: critical[place] === 1,
    wait: waitOf(tree, place), unattached: UNATTACHED[unattached[place] as number], attempt: kind === 'consumer' ? attemptOf(attributes) : undefined,
  };
}

function waitOf({ waitSince, backoff, starts }: SpanTree, place: number): Wait | undefined {
  const since = waitSince[place] as number;
  if (Number.isNaN(since)) return undefined;
  return { kind: backoff[place] === 1 ? 'backoff' : 'queue', startTime: since, durationMs: starts[place] as number - since };
}
