import dagre from '@dagrejs/dagre';
import type { FlowEdge, FlowGraph, FlowNode } from '../../../../src/contract/index.js';

export interface Placed {
  readonly node: FlowNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A graph with a place for each node. */
export interface Layout {
  readonly nodes: readonly Placed[];
  readonly edges: readonly FlowEdge[];
}

const STEP = { width: 210, height: 92 };
const SMALL_HEIGHT = 28;
const LETTER = 7.4;

/** From left to right; nodes in the order of their ids, so that a new Step does not reshuffle the others. */
export function layoutOf({ nodes, edges }: Pick<FlowGraph, 'nodes' | 'edges'>): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 26, ranksep: 64, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const sorted = [...nodes].sort((a, b) => a.id.localeCompare(b.id));
  for (const node of sorted) graph.setNode(node.id, { ...sizeOf(node) });
  const known = new Set(nodes.map(({ id }) => id));
  const drawn = edges.filter(({ from, to }) => known.has(from) && known.has(to));
  for (const { from, to } of [...drawn].sort((a, b) => `${a.from} ${a.to}`.localeCompare(`${b.from} ${b.to}`))) graph.setEdge(from, to);
  dagre.layout(graph);
  return { edges: drawn, nodes: sorted.map((node) => {
    const { width, height } = sizeOf(node);
    const { x = 0, y = 0 } = graph.node(node.id) as { readonly x?: number; readonly y?: number };
    return { node, width, height, x: x - width / 2, y: y - height / 2 };
  }) };
}

function sizeOf(node: FlowNode): { readonly width: number; readonly height: number } {
  return node.kind === 'step' ? STEP : { width: Math.round(node.title.length * LETTER + 60), height: SMALL_HEIGHT };
}

/** The part of a graph that one flow is, or all of it. */
export function flowOf(graph: FlowGraph, flow: string, stores: boolean): Pick<FlowGraph, 'nodes' | 'edges'> {
  const inFlow = new Set(graph.nodes.filter((node) => node.kind === 'step' && (flow === '' || node.flows.includes(flow))).map(({ id }) => id));
  const edges = graph.edges.filter(({ from, to, kind }) => (inFlow.has(from) || inFlow.has(to)) && (stores || kind !== 'touches'));
  const shown = new Set([...inFlow, ...edges.flatMap(({ from, to }) => [from, to])]);
  const nodes = graph.nodes.filter(({ id, kind }) => shown.has(id) && (kind !== 'step' || inFlow.has(id)));
  const kept = new Set(nodes.map(({ id }) => id));
  return { nodes, edges: edges.filter(({ from, to }) => kept.has(from) && kept.has(to)) };
}
