import type { SpanRow } from '../../api/types.generated.js';

/** Spans of one name below spans of the same names, as one box; times in milliseconds. */
export interface FlameBox {
  /** Names from the root down. */
  readonly key: string;
  readonly name: string;
  readonly depth: number;
  readonly spans: number;
  readonly errors: number;
  /** Of all its spans together. */
  readonly totalMs: number;
  /** Without what is below: where the time itself went. */
  readonly selfMs: number;
  /** Where it lies, as shares of the whole width. */
  readonly left: number;
  readonly width: number;
  /** The longest of them. */
  readonly spanId: string;
}

interface Node {
  readonly key: string;
  readonly name: string;
  readonly depth: number;
  readonly children: Map<string, Node>;
  spans: number;
  errors: number;
  totalMs: number;
  longestMs: number;
  spanId: string;
}

const node = (key: string, name: string, depth: number): Node => ({ key, name, depth, children: new Map(), spans: 0, errors: 0, totalMs: 0, longestMs: -1, spanId: '' });

/**
 * Adds spans up by their name and those above. A box is as wide as its spans took, or as what is below it where that took longer, as messages do that are handled after
 * the reply. `rows` come depth first.
 */
export function flameOf(rows: readonly SpanRow[]): readonly FlameBox[] {
  const root = node('', '', -1);
  const above: Node[] = [];
  for (const span of rows) {
    above.length = span.depth;
    const parent = above.at(-1) ?? root;
    const name = nameOf(span);
    const own = parent.children.get(name) ?? node(`${parent.key}\u0000${name}`, name, span.depth);
    parent.children.set(name, own);
    add(own, span);
    above.push(own);
  }
  const boxes: FlameBox[] = [];
  place(root, 0, 1, boxes);
  return boxes;
}

function add(own: Node, { durationMs, error, spanId }: SpanRow): void {
  own.spans += 1;
  own.totalMs += durationMs;
  if (error) own.errors += 1;
  if (durationMs > own.longestMs) [own.longestMs, own.spanId] = [durationMs, spanId];
}

function nameOf({ kind, stepName, name }: SpanRow): string {
  return kind === 'consumer' && stepName !== '' ? `${stepName} (message)` : name;
}

function below({ children }: Node): number {
  return [...children.values()].reduce((sum, child) => sum + weight(child), 0);
}

/** Never nothing: a box can always be seen. */
function weight(of: Node): number {
  return Math.max(of.totalMs, below(of), 0.001);
}

function place(of: Node, left: number, width: number, boxes: FlameBox[]): void {
  const whole = of.depth < 0 ? Math.max(below(of), 0.001) : weight(of);
  let at = left;
  for (const child of [...of.children.values()].sort((a, b) => weight(b) - weight(a))) {
    const own = (weight(child) / whole) * width;
    const { key, name, depth, spans, errors, totalMs, spanId } = child;
    boxes.push({ key, name, depth, spans, errors, totalMs, spanId, left: at, width: own, selfMs: Math.max(0, totalMs - below(child)) });
    place(child, at, own, boxes);
    at += own;
  }
}
