import type { StepRecord } from '@treadle/api';
import type { Activity, FlowEdge, QueuesAnswer, StepActivity } from '../contract/index.js';

type Edge = { -readonly [K in keyof FlowEdge]: FlowEdge[K] };
type Kind = FlowEdge['kind'];

/** What leads where: what the configs declare, and what the kept spans show beside it. */
export function flowEdges({ steps, activity, queues }: { readonly steps: readonly StepRecord[]; readonly activity: Activity; readonly queues: QueuesAnswer }): readonly FlowEdge[] {
  const edges = new Map<string, Edge>();
  const edge = (from: string, to: string, kind: Kind): Edge => {
    const key = `${from}\n${to}\n${kind}`;
    const known = edges.get(key);
    if (known) return known;
    const fresh: Edge = { from, to, kind, declared: false, seen: 0 };
    edges.set(key, fresh);
    return fresh;
  };
  for (const step of steps) declare(step, edge);
  for (const step of activity.items) observe(step, edge);
  for (const { step, topic, waiting, delayed, active, retrying, dead, oldestAgeMs, paused } of queues.items) {
    // Those of changes have no topic.
    const found = topic === '' ? undefined : edges.get(`topic:${topic}\nstep:${step}\nconsumes`);
    if (found) found.queue = { waiting: waiting + delayed, active, retrying, dead, paused, ...oldestAgeMs !== undefined && { oldestAgeMs } };
  }
  return [...edges.values()];
}

type EdgeOf = (from: string, to: string, kind: Kind) => Edge;

function declare({ id, config }: StepRecord, edge: EdgeOf): void {
  for (const topic of config.enqueues ?? []) edge(`step:${id}`, `topic:${topic}`, 'enqueues').declared = true;
  for (const { type, topic } of config.triggers) if (type === 'queue') edge(`topic:${String(topic)}`, `step:${id}`, 'consumes').declared = true;
  for (const topic of config.virtualEnqueues ?? []) draw(edge(`step:${id}`, `topic:${topic}`, 'enqueues'));
  for (const topic of config.virtualSubscribes ?? []) draw(edge(`topic:${topic}`, `step:${id}`, 'consumes'));
}

/** What is drawn beside a trigger or a topic of `enqueues` takes nothing from these. */
function draw(edge: Edge): void {
  if (!edge.declared) Object.assign(edge, { declared: true, virtual: true });
}

function observe({ step, enqueued, consumed, stateGroups, streams }: StepActivity, edge: EdgeOf): void {
  for (const [topic, seen] of Object.entries(enqueued)) edge(`step:${step}`, `topic:${topic}`, 'enqueues').seen = seen;
  for (const [topic, seen] of Object.entries(consumed)) edge(`topic:${topic}`, `step:${step}`, 'consumes').seen = seen;
  for (const [group, seen] of Object.entries(stateGroups)) edge(`step:${step}`, `state:${group}`, 'touches').seen = seen;
  for (const [name, seen] of Object.entries(streams)) edge(`step:${step}`, `stream:${name}`, 'touches').seen = seen;
}
