import { useMemo } from 'react';
import type { FlowGraph, NodeRuns, SpanRow } from '../../api/types.generated.js';
import { useSnapshot } from '../../live/use-snapshot.js';
import { Answer, Empty } from '../../parts/data-state.js';
import { lazily } from '../../parts/lazily.js';
import { useCapture } from './capture.js';

const Graph = lazily(() => import('../flows/graph.js'), 'the graph');

interface Props {
  readonly rows: readonly SpanRow[];
  readonly selected: string;
  readonly onSelect: (spanId: string) => void;
}

/** The part of the flow that a trace passed, with the numbers of this trace. A Step leads to its first run. */
export function StepGraph({ rows, selected, onSelect }: Props) {
  const step = rows.find(({ spanId }) => spanId === selected)?.stepName ?? '';
  const open = (name: string): void => {
    const first = rows.find((row) => row.name === `handler ${name}`);
    if (first) onSelect(first.spanId);
  };
  const captured = useCapture()?.flow;
  return captured ? <Passed graph={captured} rows={rows} step={step} onOpen={open} /> : <PassedNow rows={rows} step={step} onOpen={open} />;
}

interface PassedProps {
  readonly rows: readonly SpanRow[];
  readonly step: string;
  readonly onOpen: (step: string) => void;
}

function PassedNow(props: PassedProps) {
  return <Answer of={useSnapshot('GET /flows')} what="the flow">{(graph) => <Passed graph={graph} {...props} />}</Answer>;
}

function Passed({ graph, rows, step, onOpen }: PassedProps & { readonly graph: Pick<FlowGraph, 'nodes' | 'edges'> }) {
  const passed = useMemo(() => passedBy(graph, rows), [graph, rows]);
  if (passed.nodes.length === 0) return <Empty title="No Step that is known now ran in this trace" />;
  return <Graph graph={passed} selected={step} followed={undefined} onPick={onOpen} onFlow={() => undefined} />;
}

function passedBy({ nodes, edges }: Pick<FlowGraph, 'nodes' | 'edges'>, rows: readonly SpanRow[]): Pick<FlowGraph, 'nodes' | 'edges'> {
  const runs = runsOf(rows);
  const topics = new Set(rows.map(({ attributes }) => `topic:${String(attributes['messaging.destination.name'])}`));
  const kept = nodes.flatMap((node): FlowGraph['nodes'] => {
    if (node.kind !== 'step') return topics.has(node.id) ? [node] : [];
    const own = runs.get(node.step);
    return own ? [{ ...node, runs: own }] : [];
  });
  const ids = new Set(kept.map(({ id }) => id));
  // What waits now is not of this trace.
  return { nodes: kept, edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)).map((edge) => ({ ...edge, queue: undefined })) };
}

function runsOf(rows: readonly SpanRow[]): ReadonlyMap<string, NodeRuns> {
  const handlers = rows.filter(({ name }) => name.startsWith('handler '));
  return new Map([...new Set(handlers.map(({ stepName }) => stepName))].map((step) => {
    const own = handlers.filter(({ stepName }) => stepName === step);
    const times = own.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
    const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    return [step, { count: own.length, errors: own.filter(({ error }) => error).length, p50Ms: at(0.5), p95Ms: at(0.95), lastAt: Math.max(...own.map(({ startTime }) => startTime)) }];
  }));
}
