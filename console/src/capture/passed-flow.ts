import type { FlowGraph, TraceCapture, TraceView } from '../contract/index.js';

/** The nodes that a trace passed and what leads from one of them to another. */
export function passedFlow({ nodes, edges }: FlowGraph, rows: TraceView['rows']): TraceCapture['flow'] {
  const steps = new Set(rows.map(({ stepName }) => stepName));
  const topics = new Set(rows.map(({ attributes }) => `topic:${String(attributes['messaging.destination.name'])}`));
  const kept = nodes.filter((node) => (node.kind === 'step' ? steps.has(node.step) : topics.has(node.id)));
  const ids = new Set(kept.map(({ id }) => id));
  return { nodes: kept, edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)) };
}
