import type { Diagnostic, StepRecord } from '@treadle/api';
import { askModule } from '../api/ask-module.js';
import type { Surroundings } from '../api/surroundings.js';
import type { Activity, FileNode, FlowEdge, FlowGraph, FlowNode, QueuesAnswer, StepActivity, StepNode } from '../contract/index.js';
import { NO_ACTIVITY } from './activity.js';
import { flowEdges } from './flow-edges.js';
import { triggerLabel } from './trigger-label.js';

/** What a graph is drawn from. */
export interface FlowFacts {
  readonly steps: readonly StepRecord[];
  readonly diagnostics: readonly Diagnostic[];
  readonly activity: Activity;
  readonly queues: QueuesAnswer;
  /** Processes that serve a Step now. */
  readonly servers: (step: string) => number;
}

const NO_QUEUES: QueuesAnswer = { items: [], gone: [], unrouted: [] };

/** Asks everybody who knows something. */
export async function flowFacts({ catalog, steps }: Surroundings): Promise<FlowFacts> {
  const [activity = NO_ACTIVITY, queues = NO_QUEUES] = await Promise.all([
    askModule<Activity>(catalog, { block: 'observability', path: '/traces/activity' }), askModule<QueuesAnswer>(catalog, { block: 'queue', path: '/' }),
  ]);
  const servers = new Map<string, number>();
  for (const session of steps?.sessions() ?? []) for (const step of new Set(session.steps)) servers.set(step, (servers.get(step) ?? 0) + 1);
  return { steps: steps?.steps() ?? [], diagnostics: steps?.diagnostics() ?? [], activity, queues, servers: (step) => servers.get(step) ?? 0 };
}

/** `GET /flows` */
export async function flowGraph(surroundings: Surroundings): Promise<FlowGraph> {
  return graphOf(await flowFacts(surroundings));
}

export function graphOf(facts: FlowFacts): FlowGraph {
  const { steps, activity: { items, spans, from } } = facts;
  const edges = flowEdges(facts);
  const flows = [...new Set(steps.flatMap(({ config }) => config.flows ?? []))].sort();
  const runs = new Map(items.map((item) => [item.step, item.runs]));
  return { nodes: [...steps.map((step) => stepNode(step, facts, runs.get(step.id))), ...fileNodes(facts), ...otherNodes(edges)], edges, flows, observed: { spans, ...from !== undefined && { from } } };
}

function stepNode({ id, config, file, line, language }: StepRecord, { diagnostics, servers }: FlowFacts, runs: StepActivity['runs'] | undefined): StepNode {
  return {
    kind: 'step', id: `step:${id}`, step: id, title: id, file, ...line !== undefined && { line }, language, flows: config.flows ?? [],
    triggers: config.triggers.map((trigger) => ({ type: trigger.type, label: triggerLabel(trigger) })), workers: servers(id),
    diagnostics: diagnostics.filter((one) => (one.step ?? id) === id && (one.step !== undefined || one.file === file)), ...runs && runs.count > 0 && { runs },
  };
}

/** Files that have errors and none of the Steps. */
function fileNodes({ steps, diagnostics }: FlowFacts): readonly FileNode[] {
  const loaded = new Set(steps.map(({ file }) => file));
  const broken = diagnostics.filter(({ severity, file }) => severity === 'error' && file !== '' && !loaded.has(file));
  return [...new Set(broken.map(({ file }) => file))].sort().map((file) => (
    { kind: 'file', id: `file:${file}`, title: file.slice(file.lastIndexOf('/') + 1), file, diagnostics: diagnostics.filter((one) => one.file === file) }));
}

/** Topics and stores are known by the edges to and from them. */
function otherNodes(edges: readonly FlowEdge[]): readonly FlowNode[] {
  const ids = new Set(edges.flatMap(({ from, to }) => [from, to]).filter((id) => !id.startsWith('step:')));
  return [...ids].sort().map((id) => {
    const [kind = '', title] = [id.slice(0, id.indexOf(':')), id.slice(id.indexOf(':') + 1)];
    return { kind: kind as 'topic' | 'state' | 'stream', id, title };
  });
}
