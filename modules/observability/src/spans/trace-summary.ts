import type { SpanRecord } from '@treadle/api';
import { safeText } from '../redaction/safe-span.js';
import { attemptOf } from './enqueued-at.js';
import type { SpanRing } from './span-ring.js';

const TRIGGER = 'step.trigger';

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
  let [startTime, end, errors, retries] = [Infinity, -Infinity, 0, 0];
  const steps = new Set<string>();
  // One loop: this is done for traces as they come.
  for (const row of rows) {
    const [start, step] = [ring.start(row), ring.stepName(row)];
    startTime = Math.min(startTime, start);
    end = Math.max(end, start + ring.duration(row));
    if (ring.failed(row)) errors += 1;
    if (isRetry(ring, row)) retries += 1;
    if (step !== '') steps.add(step);
  }
  const attributes = ring.attributesOf(root);
  const { 'http.route': route, 'url.path': path } = attributes;
  const trigger = attributes[TRIGGER] ?? triggerBelow(ring, root, rows);
  // A request that no route took has the path among its attributes only: as a name it would be one of too many.
  const name = typeof path === 'string' ? `${ring.name(root)} ${path}` : ring.name(root);
  return {
    traceId, name: safeText(name), kind: ring.kind(root), startTime, durationMs: end - startTime, replyMs: ring.duration(root), spans: rows.length, steps: [...steps], errors, retries,
    partial: ring.parent(root) !== undefined, ...typeof route === 'string' ? { route } : {}, ...typeof trigger === 'string' ? { trigger } : {},
  };
}

/** A request's span knows of no Step: the handler's below it does. */
function triggerBelow(ring: SpanRing, root: number, rows: readonly number[]): unknown {
  const id = ring.spanId(root);
  const handler = rows.find((row) => ring.parent(row) === id && ring.attributesOf(row)[TRIGGER] !== undefined);
  return handler === undefined ? undefined : ring.attributesOf(handler)[TRIGGER];
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
