import type { SpanRecord } from '@treadle/api';
import { safeText } from '../redaction/safe-span.js';
import { enqueuedAt } from './enqueued-at.js';
import { endOf, type SpanNode, type SpanTree } from './span-tree.js';

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

/** What led to the last effect of a trace. */
export interface CriticalPath {
  /** In the order of time, without gaps: together exactly `durationMs`. */
  readonly segments: readonly PathSegment[];
  readonly startTime: number;
  readonly durationMs: number;
  /** Milliseconds by kind. */
  readonly byKind: Readonly<Partial<Record<PathKind, number>>>;
}

/**
 * Walks back from the end of the span that ended last: through the child that ended last before the cursor, at a span's
 * start to its parent, and at a consumer's start over its wait to the producer or the former attempt. Marks the nodes that are
 * on it; to be called once for a tree.
 * @source console design, 4.5
 */
export function criticalPath({ nodes }: SpanTree): CriticalPath | undefined {
  const last = nodes.reduce<SpanNode | undefined>((found, node) => (found && endOf(found.span) >= endOf(node.span) ? found : node), undefined);
  return last ? new PathWalk(last).walk() : undefined;
}

class PathWalk {
  private readonly segments: PathSegment[] = [];
  private cursor: number;

  constructor(private readonly last: SpanNode) {
    this.cursor = endOf(last.span);
  }

  walk(): CriticalPath {
    const end = this.cursor;
    for (let node: SpanNode | undefined = this.last; node && !node.left;) {
      const child: SpanNode | undefined = this.childBefore(node);
      if (child) {
        this.emit(workKind(node.span), node, endOf(child.span));
        node = child;
      } else node = this.leave(node);
    }
    const segments = this.segments.reverse();
    return { segments, startTime: this.cursor, durationMs: end - this.cursor, byKind: sumByKind(segments) };
  }

  /** The child that ended last before the cursor. What a consumer did was waited for by nobody above it. */
  private childBefore(node: SpanNode): SpanNode | undefined {
    const queue = this.queueOf(node);
    for (let child = queue.pop(); child; child = queue.pop()) {
      if (!child.left && endOf(child.span) <= this.cursor && endOf(child.span) > node.span.startTime) return child;
    }
    return undefined;
  }

  private queueOf(node: SpanNode): SpanNode[] {
    return node.byEnd ??= node.children.filter(({ span }) => span.kind !== 'consumer').sort((a, b) => endOf(a.span) - endOf(b.span));
  }

  /** From a span's start to what came before it. */
  private leave(node: SpanNode): SpanNode | undefined {
    const { span, previous, parent } = node;
    node.left = true;
    this.emit(workKind(span), node, span.startTime);
    const before = previous && !previous.left ? previous : parent;
    if (!before || before.left) return undefined;
    if (span.kind === 'consumer') this.emitWait(node, before === previous);
    // Work that its parent did not wait for, or clocks that differ.
    const from = endOf(before.span);
    if (from < this.cursor) this.emit(span.kind === 'consumer' ? 'queue wait' : 'idle', node, from);
    return before;
  }

  private emitWait(node: SpanNode, isRetry: boolean): void {
    const { span, previous, wait } = node;
    if (isRetry && previous) this.emit('retry backoff', node, endOf(previous.span));
    else this.emit(wait?.kind === 'backoff' ? 'retry backoff' : 'queue wait', node, enqueuedAt(span.attributes) ?? this.cursor);
  }

  /** Everything from `startTime` to the cursor; nothing when that is not before the cursor. */
  private emit(kind: PathKind, node: SpanNode, startTime: number): void {
    if (startTime >= this.cursor) return;
    const { spanId, name } = node.span;
    node.critical = true;
    this.segments.push({ kind, spanId, name: safeText(name), startTime, durationMs: this.cursor - startTime });
    this.cursor = startTime;
  }
}

function workKind({ name, kind, stepName, attributes }: SpanRecord): PathKind {
  if (name.startsWith('state.')) return 'state';
  if (name.startsWith('stream.')) return 'stream';
  if (kind === 'producer') return 'queue';
  if (kind === 'client') return 'network';
  if (kind === 'internal' && (stepName !== '' || attributes['step.name'] !== undefined)) return 'handler';
  return kind === 'consumer' ? 'queue' : 'other';
}

function sumByKind(segments: readonly PathSegment[]): Partial<Record<PathKind, number>> {
  const sums: Partial<Record<PathKind, number>> = {};
  for (const { kind, durationMs } of segments) sums[kind] = (sums[kind] ?? 0) + durationMs;
  return sums;
}
