import { Background, Controls, type Edge, Handle, MarkerType, type Node, type NodeProps, Position, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { FlowEdge, FlowGraph } from '../../api/types.generated.js';
import { useCommands } from '../../keys/commands.js';
import { Loading } from '../../parts/data-state.js';
import { taste } from '../../theme/taste.js';
import { navigate, patchSearch } from '../../url/location.js';
import { paths } from '../../url/paths.js';
import { BackEdge } from './back-edge.js';
import css from './flows.module.css';
import { FlowNodeCard } from './flow-node.js';
import { type DrawnNode, folded, MOST_NODES } from './fold.js';
import type { LayoutJob } from './layout.js';
import { useLayout } from './use-layout.js';
import { useNodeKeys } from './use-node-keys.js';

interface Props {
  readonly graph: Pick<FlowGraph, 'nodes' | 'edges'>;
  /** Name of a Step, or path of a file. */
  readonly selected: string;
  /** Ids of nodes that stay bright. */
  readonly followed: ReadonlySet<string> | undefined;
  readonly onPick: (step: string) => void;
  /** A flow, or a folder, is to be seen alone. */
  readonly onFlow: (flow: string) => void;
}

type CardNode = Node<{ readonly node: DrawnNode; readonly selected: boolean; readonly dim: boolean; readonly lit: boolean }>;
const NODE_TYPES = { card: Card };
const EDGE_TYPES = { back: BackEdge };
const CARD = { width: 210, height: 92 };
const SMALL_HEIGHT = 28;
const LETTER = 7.4;
const WIDEST_EDGE = 4;
/** Nothing can be moved or deleted here. */
const WORDS = { 'node.a11yDescription.keyboardDisabled': 'Enter opens it.', 'node.a11yDescription.default': 'Enter opens it.', 'edge.a11yDescription.default': 'What leads from one to the other.' };

export default function Graph(props: Props) {
  return <ReactFlowProvider><Drawn {...props} /></ReactFlowProvider>;
}

function Drawn({ graph: whole, selected, followed, onPick, onFlow }: Props) {
  const theme = useSyncExternalStore((listener) => taste.onChange(listener), () => taste.theme);
  const graph = useMemo(() => folded(whole), [whole]);
  const shape = graph.nodes.map(({ id }) => id).join() + graph.edges.map(({ from, to }) => from + to).join();
  const job = useMemo((): LayoutJob => ({ boxes: graph.nodes.map((node) => ({ id: node.id, ...sizeOf(node) })), links: graph.edges.map(({ from, to }) => [from, to]) }), [graph]);
  const places = useLayout(shape, () => job);
  const { fitView } = useReactFlow();
  const isLaid = places !== undefined;
  useEffect(() => void fitView({ maxZoom: 1, padding: 0.08 }), [places]);
  useCommands([{ title: 'Fit the graph', keys: ['f'], run: () => void fitView({ maxZoom: 1, padding: 0.08 }) }]);
  const named = (id: string): readonly DrawnNode[] => graph.nodes.filter((node) => node.id === id);
  const keys = useNodeKeys({
    ...job, places, current: graph.nodes.find((node) => isOpen(node, selected))?.id,
    onOpen: (id) => named(id).forEach((node) => pick(node, { onPick, onFlow })), onReach: (id) => named(id).forEach((node) => node.kind === 'step' && onPick(node.step)),
  });
  const lit = followed && new Set([...followed].map((id) => graph.homes.get(id) ?? id));
  const dim = (id: string): boolean => lit !== undefined && !lit.has(id);
  const nodes: CardNode[] = graph.nodes.flatMap((node) => {
    const place = places?.[node.id];
    return place === undefined ? [] : [{
      id: node.id, type: 'card', position: { x: place[0], y: place[1] }, ...sizeOf(node), draggable: false, connectable: false, ariaRole: 'button',
      data: { node, selected: isOpen(node, selected), dim: dim(node.id), lit: lit?.has(node.id) === true },
    }];
  });
  const leadsBack = ({ from, to }: FlowEdge): boolean => (places?.[to]?.[0] ?? 0) <= (places?.[from]?.[0] ?? 0);
  const edges = graph.edges.map((edge) => ({ ...drawnEdge(edge, dim(edge.from) || dim(edge.to)), ...leadsBack(edge) && { type: 'back' } }));
  if (!isLaid) return <Loading what="the graph" />;
  return (
    <div className={css.canvas} {...keys}>
      <ReactFlow
        nodes={nodes} edges={edges} nodeTypes={NODE_TYPES} edgeTypes={EDGE_TYPES} colorMode={theme} minZoom={0.2} maxZoom={1.6} nodesConnectable={false} elementsSelectable={false} deleteKeyCode={null} ariaLabelConfig={WORDS} proOptions={{ hideAttribution: true }} fitView fitViewOptions={{ maxZoom: 1, padding: 0.08 }} onlyRenderVisibleElements={nodes.length > MOST_NODES} aria-label="Flow graph"
        onNodeClick={(_event, { data }) => pick((data as CardNode['data']).node, { onPick, onFlow })}
      ><Background gap={22} /><Controls showInteractive={false} /></ReactFlow>
    </div>
  );
}

function pick(node: DrawnNode, { onPick, onFlow }: Pick<Props, 'onPick' | 'onFlow'>): void {
  if (node.kind === 'step') onPick(node.step);
  else if (node.kind === 'file') patchSearch({ file: node.file, step: null, line: null });
  else if (node.kind === 'group') onFlow(node.title);
  else if (node.kind === 'topic') navigate(paths.topic(node.title));
  else navigate(node.kind === 'state' ? paths.stateGroup(node.title) : '/streams');
}

function isOpen(node: DrawnNode, selected: string): boolean {
  return (node.kind === 'step' && node.step === selected) || (node.kind === 'file' && node.file === selected);
}

function sizeOf(node: DrawnNode): { readonly width: number; readonly height: number } {
  return node.kind === 'step' || node.kind === 'group' || node.kind === 'file' ? CARD : { width: Math.round(node.title.length * LETTER + 60), height: SMALL_HEIGHT };
}

/** Never seen: faint and dashed. Seen but not declared: red. Wider the more was seen. */
function drawnEdge({ from, to, kind, declared, seen, virtual, queue }: FlowEdge, dim: boolean): Edge {
  const bad = (queue?.dead ?? 0) > 0 || (!declared && kind === 'enqueues');
  const stroke = bad ? 'var(--bad)' : kind === 'touches' ? 'var(--teal)' : 'var(--violet)';
  const faint = seen === 0 && kind !== 'touches';
  const words = [queue && queue.waiting > 0 && `${queue.waiting} waiting`, queue && queue.retrying > 0 && `${queue.retrying} retrying`, queue && queue.dead > 0 && `${queue.dead} dead`, !declared && kind === 'enqueues' && 'not declared', virtual && 'virtual'].filter(Boolean).join(', ');
  return {
    id: `${from} ${to}`, source: from, target: to, focusable: false, animated: (queue?.active ?? 0) > 0, markerEnd: { type: MarkerType.ArrowClosed, color: stroke },
    ...words !== '' && { label: words, labelStyle: { fill: bad ? 'var(--bad)' : 'var(--text-2)', fontSize: 11 }, labelBgStyle: { fill: 'var(--panel)' } },
    style: { stroke, strokeWidth: Math.min(WIDEST_EDGE, 1.2 + Math.log10(1 + seen)), opacity: dim ? 0.15 : faint ? 0.5 : 1, strokeDasharray: faint || kind === 'touches' ? '5 4' : undefined },
  };
}

function Card({ data }: NodeProps<CardNode>) {
  return <><Handle type="target" position={Position.Left} style={{ visibility: 'hidden' }} /><FlowNodeCard {...data} /><Handle type="source" position={Position.Right} style={{ visibility: 'hidden' }} /></>;
}
