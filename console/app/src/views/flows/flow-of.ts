import type { FileNode, FlowGraph, StepNode } from '../../api/types.generated.js';
import { groupOf } from './fold.js';

/** The part of a graph that one flow or folder is, or all of it. */
export function flowOf(graph: FlowGraph, flow: string, stores: boolean): Pick<FlowGraph, 'nodes' | 'edges'> {
  const isIn = (node: StepNode): boolean => flow === '' || node.flows.includes(flow) || groupOf(node) === flow;
  const isBeside = ({ file }: FileNode): boolean => flow === '' || file.slice(0, file.lastIndexOf('/') + 1) === flow;
  const inFlow = new Set(graph.nodes.filter((node) => (node.kind === 'step' ? isIn(node) : node.kind === 'file' && isBeside(node))).map(({ id }) => id));
  const edges = graph.edges.filter(({ from, to, kind }) => (inFlow.has(from) || inFlow.has(to)) && (stores || kind !== 'touches'));
  const shown = new Set([...inFlow, ...edges.flatMap(({ from, to }) => [from, to])]);
  const nodes = graph.nodes.filter(({ id, kind }) => shown.has(id) && (kind !== 'step' || inFlow.has(id)));
  const kept = new Set(nodes.map(({ id }) => id));
  return { nodes, edges: edges.filter(({ from, to }) => kept.has(from) && kept.has(to)) };
}
