import type { SpanRecord } from '@treadle/api';
import { safeText } from '../redaction/safe-span.js';
import { attemptOf } from './enqueued-at.js';
import type { SpanRing } from './span-ring.js';

/** A trace in a list. */
export interface TraceSummary {
  readonly traceId: string;
  /** Name of the span that everything began with; of the earliest one when that is not kept. */
  readonly name: string;
  readonly kind: SpanRecord['kind'];
  /** Route pattern of the request that it began with. */
  readonly route?: string | undefined;
  /** What started it, e.g. `http`. */
  readonly trigger?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  /** Until its last effect. */
  readonly durationMs: number;
  /** Until the first span was through: for a request, until its answer. */
  readonly replyMs: number;
  readonly spans: number;
  readonly steps: readonly string[];
  readonly errors: number;
  readonly retries: number;
  /** The span that it began with is not kept: evicted, not ended yet, or of another process. */
  readonly partial: boolean;
}

/** Sums up the rows of one trace. */
export function summarize(ring: SpanRing, traceId: string, rows: readonly number[]): TraceSummary {
  const root = rootOf(ring, rows);
  const startTime = rows.reduce((least, row) => Math.min(least, ring.start(row)), Infinity);
  const end = rows.reduce((latest, row) => Math.max(latest, ring.start(row) + ring.duration(row)), -Infinity);
  const attributes = ring.attributesOf(root);
  const { 'http.route': route, 'step.trigger': trigger, 'url.path': path } = attributes;
  // A request that no route took has the path among its attributes only: as a name it would be one of too many.
  const name = typeof path === 'string' ? `${ring.name(root)} ${path}` : ring.name(root);
  return {
    traceId, name: safeText(name), kind: ring.kind(root), startTime, durationMs: end - startTime, replyMs: ring.duration(root),
    spans: rows.length, steps: [...new Set(rows.map((row) => ring.stepName(row)).filter((step) => step !== ''))],
    errors: rows.filter((row) => ring.failed(row)).length, retries: rows.filter((row) => isRetry(ring, row)).length,
    partial: ring.parent(root) !== undefined,
    ...typeof route === 'string' ? { route } : {}, ...typeof trigger === 'string' ? { trigger } : {},
  };
}

/** The earliest span without a parent, else the earliest. */
function rootOf(ring: SpanRing, rows: readonly number[]): number {
  const before = (a: number, b: number): boolean => {
    const [orphanA, orphanB] = [ring.parent(a) === undefined, ring.parent(b) === undefined];
    return orphanA === orphanB ? ring.start(a) < ring.start(b) : orphanA;
  };
  return rows.reduce((best, row) => (before(row, best) ? row : best));
}

function isRetry(ring: SpanRing, row: number): boolean {
  return ring.kind(row) === 'consumer' && attemptOf(ring.attributesOf(row)) > 1;
}
