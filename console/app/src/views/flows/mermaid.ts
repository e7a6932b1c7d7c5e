import type { FlowGraph, FlowNode } from '../../api/types.generated.js';

/** A flow as a diagram of Mermaid, for documents: Steps as boxes, topics rounded, stores as cylinders; dotted is what was never seen, or touches a store. */
export function mermaidOf({ nodes, edges }: Pick<FlowGraph, 'nodes' | 'edges'>): string {
  const names = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const arrows = edges.flatMap(({ from, to, kind, seen }) => {
    const [a, b] = [names.get(from), names.get(to)];
    return a === undefined || b === undefined ? [] : [`  ${a} ${kind === 'touches' ? '-.-' : seen === 0 ? '-.->' : '-->'} ${b}`];
  });
  return ['flowchart LR', ...nodes.map((node) => `  ${names.get(node.id) ?? ''}${shapeOf(node)}`), ...arrows, ''].join('\n');
}

function shapeOf(node: FlowNode): string {
  const text = `"${node.title.replaceAll('&', '#amp;').replaceAll('"', '#quot;').replaceAll('<', '#lt;')}"`;
  if (node.kind === 'topic') return `([${text}])`;
  return node.kind === 'state' || node.kind === 'stream' ? `[(${text})]` : `[${text}]`;
}
