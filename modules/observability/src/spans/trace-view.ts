import type { SpanRecord } from '@treadle/api';
import { safeAttributes, safeError, safeEvents, safeText } from '../redaction/safe-span.js';
import { criticalPath, type CriticalPath } from './critical-path.js';
import { attemptOf } from './enqueued-at.js';
import { type SpanNode, spanTree, type SpanTree, type Wait } from './span-tree.js';

/** A span as a line of the tree. */
export interface SpanRow extends SpanRecord {
  /** 0 for a root. */
  readonly depth: number;
  readonly children: number;
  readonly wait?: Wait | undefined;
  /** From 1; only of consumers. */
  readonly attempt?: number | undefined;
  readonly unattached?: SpanNode['unattached'];
  readonly critical: boolean;
}

/** A whole trace. */
export interface TraceView {
  readonly traceId: string;
  /** Depth first, children by their start: the order in which a tree is drawn. */
  readonly rows: readonly SpanRow[];
  /** Spans that are left out because there are more than were asked for. */
  readonly omitted: number;
  readonly path: CriticalPath | undefined;
}

/** Most spans of one answer. */
export const MAX_ROWS = 20_000;

/** Draws up the tree of one trace. */
export function traceView(traceId: string, spans: readonly SpanRecord[], limit: number): TraceView {
  const tree = spanTree(spans);
  const path = criticalPath(tree);
  const { nodes, depths } = inOrder(tree, limit);
  const rows = nodes.map((node, at) => rowOf(node, depths[at] ?? 0));
  return { traceId, rows, omitted: tree.nodes.length - rows.length, path };
}

/** The children of one span, or the roots, by their start. */
export function childRows(spans: readonly SpanRecord[], parent: string | undefined): readonly SpanRow[] {
  const tree = spanTree(spans);
  criticalPath(tree);
  const nodes = parent === undefined ? tree.roots : tree.nodes.find(({ span }) => span.spanId === parent)?.children ?? [];
  return nodes.map((node) => rowOf(node, depthOf(node)));
}

/** Nodes with their depths; two lists, as ten thousand pairs would be as many objects. */
interface Ordered {
  readonly nodes: readonly SpanNode[];
  readonly depths: readonly number[];
}

function inOrder({ roots }: SpanTree, limit: number): Ordered {
  const [nodes, depths]: [SpanNode[], number[]] = [[], []];
  const [waiting, waitingDepths] = [[...roots].reverse(), roots.map(() => 0)];
  for (let node = waiting.pop(); node && nodes.length < limit; node = waiting.pop()) {
    const depth = waitingDepths.pop() ?? 0;
    nodes.push(node);
    depths.push(depth);
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      waiting.push(node.children[at] as SpanNode);
      waitingDepths.push(depth + 1);
    }
  }
  return { nodes, depths };
}

/** Written out, as copies of objects with optional parts are slow and there may be ten thousand. */
function rowOf({ span, children, wait, unattached, critical }: SpanNode, depth: number): SpanRow {
  const { traceId, spanId, parentSpanId, kind, startTime, durationMs, stepName, links } = span;
  return {
    traceId, spanId, parentSpanId, name: safeText(span.name), kind, startTime, durationMs, stepName, attributes: safeAttributes(span.attributes),
    error: safeError(span.error), events: safeEvents(span.events), links, depth, children: children.length, critical, wait, unattached,
    attempt: kind === 'consumer' ? attemptOf(span.attributes) : undefined,
  };
}

function depthOf(node: SpanNode): number {
  let depth = 0;
  for (let above = node.parent; above; above = above.parent) depth += 1;
  return depth;
}
