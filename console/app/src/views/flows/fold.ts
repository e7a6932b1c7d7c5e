import type { FlowEdge, FlowGraph, FlowNode, StepNode } from '../../api/types.generated.js';

/** Steps of a flow, or of a folder, that are drawn as one. */
export interface GroupNode {
  readonly kind: 'group';
  /** `group:<name>` */
  readonly id: string;
  /** Name of the flow, or the folder with a slash at its end. */
  readonly title: string;
  readonly steps: number;
  readonly runs: number;
  readonly errors: number;
}

export type DrawnNode = FlowNode | GroupNode;

export interface DrawnGraph {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly FlowEdge[];
  /** The group that a node is drawn in, by the node's id. */
  readonly homes: ReadonlyMap<string, string>;
}

/** A graph with more nodes is folded. */
export const MOST_NODES = 150;

/** A large graph with each flow as one node, and with the topics and stores between flows; a small one as it is. */
export function folded({ nodes, edges }: Pick<FlowGraph, 'nodes' | 'edges'>): DrawnGraph {
  const steps = nodes.filter((node): node is StepNode => node.kind === 'step');
  const groups = new Map<string, StepNode[]>();
  for (const step of steps) groups.set(groupOf(step), [...groups.get(groupOf(step)) ?? [], step]);
  if (nodes.length <= MOST_NODES || groups.size < 2) return { nodes, edges, homes: new Map() };
  const homes = new Map(steps.map((step) => [step.id, `group:${groupOf(step)}`]));
  for (const [id, group] of innerNodes(edges, homes)) homes.set(id, group);
  const outer = nodes.filter(({ id }) => !homes.has(id));
  return { homes, edges: outerEdges(edges, homes), nodes: [...[...groups].map(([title, members]) => groupNode(title, members)), ...outer] };
}

/** A Step belongs to its first flow, or to the folder of its file. */
export function groupOf({ flows: [flow], file }: StepNode): string {
  return flow ?? file.slice(0, file.lastIndexOf('/') + 1);
}

/** Topics and stores that one group alone uses, and that group. */
function innerNodes(edges: readonly FlowEdge[], homes: ReadonlyMap<string, string>): readonly (readonly [id: string, group: string])[] {
  const users = new Map<string, Set<string>>();
  const note = (id: string, group: string | undefined): void => {
    if (group !== undefined && !homes.has(id)) users.set(id, (users.get(id) ?? new Set()).add(group));
  };
  for (const { from, to } of edges) {
    note(from, homes.get(to));
    note(to, homes.get(from));
  }
  return [...users].flatMap(([id, groups]) => (groups.size === 1 ? [[id, [...groups][0] as string] as const] : []));
}

/** Edges between what is drawn, one for all that lead the same way. */
function outerEdges(edges: readonly FlowEdge[], homes: ReadonlyMap<string, string>): readonly FlowEdge[] {
  const found = new Map<string, FlowEdge>();
  for (const edge of edges) {
    const [from, to] = [homes.get(edge.from) ?? edge.from, homes.get(edge.to) ?? edge.to];
    if (from === to) continue;
    const former = found.get(`${from} ${to}`);
    found.set(`${from} ${to}`, { ...edge, from, to, seen: edge.seen + (former?.seen ?? 0), declared: edge.declared && (former?.declared ?? true) });
  }
  return [...found.values()];
}

function groupNode(title: string, members: readonly StepNode[]): GroupNode {
  const sum = (of: (step: StepNode) => number): number => members.reduce((total, step) => total + of(step), 0);
  return { kind: 'group', id: `group:${title}`, title, steps: members.length, runs: sum(({ runs }) => runs?.count ?? 0), errors: sum(({ runs }) => runs?.errors ?? 0) };
}
