import { safeText } from '../redaction/safe-span.js';
import { enqueuedAt } from './enqueued-at.js';
import { NONE } from './no-place.js';
import type { SpanTree } from './span-tree.js';

/** What the time of a segment went into. */
export type PathKind = 'handler' | 'queue wait' | 'retry backoff' | 'state' | 'stream' | 'queue' | 'network' | 'idle' | 'other';

/** One stretch of the critical path. */
export interface PathSegment {
  readonly kind: PathKind;
  /** Of the span that took the time; of a wait, the one that waited. */
  readonly spanId: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  readonly durationMs: number;
}

/** Where a path ends: at the last effect, or where the request was answered; without a request at the last effect. */
export type PathEnd = 'effect' | 'reply';

/** What led to the last effect of a trace, or to its reply. */
export interface CriticalPath {
  /** In the order of time, without gaps: together exactly `durationMs`, the time until the end of the path. */
  readonly segments: readonly PathSegment[];
  readonly startTime: number;
  readonly durationMs: number;
  /** Milliseconds by kind. */
  readonly byKind: Readonly<Partial<Record<PathKind, number>>>;
}

/**
 * Walks back from the end of the span that ended last, or of the request: through the child that ended last before the cursor, at a span's
 * start to its parent, and at a consumer's start over its wait to the producer or the former attempt. Marks the spans that are
 * on it. The tree has a span at least.
 */
export function criticalPath(tree: SpanTree, until: PathEnd = 'effect'): CriticalPath {
  const request = until === 'reply' ? requestOf(tree) : NONE;
  return new PathWalk(tree).walk(request === NONE ? lastOf(tree.ends) : request);
}

class PathWalk {
  private readonly segments: PathSegment[] = [];
  /** Children by their ends that are not used up. */
  private readonly queues = new Map<number, number[]>();
  /** 1: the walk has left this span. */
  private readonly left: Uint8Array;
  private cursor = 0;
  /** Start of the trace. */
  private readonly begin: number;

  constructor(private readonly tree: SpanTree) {
    this.left = new Uint8Array(tree.size);
    this.begin = tree.starts[0] as number;
  }

  walk(last: number): CriticalPath {
    const { ends } = this.tree;
    const end = ends[last] as number;
    this.cursor = end;
    let first = last;
    for (let place = last; place !== NONE && !this.hasLeft(place);) {
      first = place;
      const child = this.childBefore(place);
      if (child !== undefined) {
        this.emit(this.workKind(place), place, ends[child] as number);
        place = child;
      } else place = this.leave(place);
    }
    // What led to the first span on it is not kept, or clocks differ.
    this.emit('idle', first, this.begin);
    const segments = this.segments.reverse();
    return { segments, startTime: this.cursor, durationMs: end - this.cursor, byKind: sumByKind(segments) };
  }

  private hasLeft(place: number): boolean {
    return this.left[place] === 1;
  }

  /** The child that ended last before the cursor. What a consumer did was waited for by nobody above it. */
  private childBefore(place: number): number | undefined {
    const { starts, ends, firstChild } = this.tree;
    if (firstChild[place] === NONE) return undefined;
    const queue = this.queueOf(place);
    for (let child = queue.pop(); child !== undefined; child = queue.pop()) {
      const end = ends[child] as number;
      if (!this.hasLeft(child) && end <= this.cursor && end > (starts[place] as number)) return child;
    }
    return undefined;
  }

  private queueOf(place: number): number[] {
    const { ring, ends, firstChild, nextSibling } = this.tree;
    const known = this.queues.get(place);
    if (known) return known;
    const children: number[] = [];
    for (let child = firstChild[place] as number; child !== NONE; child = nextSibling[child] as number) {
      if (ring.kind(this.tree.row(child)) !== 'consumer') children.push(child);
    }
    children.sort((a, b) => (ends[a] as number) - (ends[b] as number));
    this.queues.set(place, children);
    return children;
  }

  /** From a span's start to what came before it; `NONE` at the beginning. */
  private leave(place: number): number {
    const { ring, starts, ends, previous, parents } = this.tree;
    this.left[place] = 1;
    this.emit(this.workKind(place), place, starts[place] as number);
    const former = previous[place] as number;
    const isRetry = former !== NONE && !this.hasLeft(former);
    const before = isRetry ? former : parents[place] as number;
    if (before === NONE || this.hasLeft(before)) return NONE;
    const isConsumer = ring.kind(this.tree.row(place)) === 'consumer';
    if (isConsumer) this.emitWait(place, isRetry);
    // Work that its parent did not wait for, or clocks that differ.
    const from = ends[before] as number;
    if (from < this.cursor) this.emit(isConsumer ? 'queue wait' : 'idle', place, from);
    return before;
  }

  private emitWait(place: number, isRetry: boolean): void {
    const { ring, ends, previous, waitSince, backoff } = this.tree;
    if (isRetry) {
      this.emit('retry backoff', place, ends[previous[place] as number] as number);
      return;
    }
    const waited = backoff[place] === 1 && !Number.isNaN(waitSince[place]);
    this.emit(waited ? 'retry backoff' : 'queue wait', place, enqueuedAt(ring.attributesOf(this.tree.row(place))) ?? this.cursor);
  }

  /** Everything from a time to the cursor, nothing before the trace; nothing when that is not before the cursor. */
  private emit(kind: PathKind, place: number, from: number): void {
    const startTime = Math.max(from, this.begin);
    if (startTime >= this.cursor) return;
    const { ring, critical } = this.tree;
    const row = this.tree.row(place);
    critical[place] = 1;
    this.segments.push({ kind, spanId: ring.spanId(row), name: safeText(ring.name(row)), startTime, durationMs: this.cursor - startTime });
    this.cursor = startTime;
  }

  private workKind(place: number): PathKind {
    const { ring } = this.tree;
    const row = this.tree.row(place);
    const [name, kind] = [ring.name(row), ring.kind(row)];
    if (name.startsWith('state.')) return 'state';
    if (name.startsWith('stream.')) return 'stream';
    if (kind === 'producer') return 'queue';
    if (kind === 'client') return 'network';
    if (kind === 'internal' && (ring.stepName(row) !== '' || ring.attributesOf(row)['step.name'] !== undefined)) return 'handler';
    return kind === 'consumer' ? 'queue' : 'other';
  }
}

/** The request that a trace began with. */
function requestOf(tree: SpanTree): number {
  return tree.order.find((place) => tree.depths[place] === 0 && tree.ring.kind(tree.row(place)) === 'server') ?? NONE;
}

/** Of several that ended together the first. */
function lastOf(ends: Float64Array): number {
  let last = 0;
  for (let place = 1; place < ends.length; place += 1) if ((ends[place] as number) > (ends[last] as number)) last = place;
  return last;
}

function sumByKind(segments: readonly PathSegment[]): Partial<Record<PathKind, number>> {
  const sums: Partial<Record<PathKind, number>> = {};
  for (const { kind, durationMs } of segments) sums[kind] = (sums[kind] ?? 0) + durationMs;
  return sums;
}
