import type { SpanRecord } from '@treadle/api';
import { attemptOf, enqueuedAt } from './enqueued-at.js';

/** Time in which a message waited: in the queue, or for its next attempt. */
export interface Wait {
  readonly kind: 'queue' | 'backoff';
  /** Milliseconds since the epoch. */
  readonly startTime: number;
  readonly durationMs: number;
}

/** A span in its trace. */
export interface SpanNode {
  readonly span: SpanRecord;
  /** By time of start. */
  children: readonly SpanNode[];
  parent?: SpanNode | undefined;
  /** The former attempt at the same message. */
  previous?: SpanNode | undefined;
  wait?: Wait | undefined;
  /** Why it has no place below another span although it names one. */
  unattached?: 'parent is not kept' | 'its parents go in a circle' | undefined;
  /** On the critical path, once that is known. */
  critical: boolean;
  /** Of the walk along the critical path: children by their ends that are not used up, and whether it has left this span. */
  byEnd: SpanNode[] | undefined;
  left: boolean;
}

/** The spans of one trace as a forest. Parents are found by `parentSpanId`, else by the first link that is kept. */
export interface SpanTree {
  readonly roots: readonly SpanNode[];
  readonly nodes: readonly SpanNode[];
}

export const endOf = ({ startTime, durationMs }: Pick<SpanRecord, 'startTime' | 'durationMs'>): number => startTime + durationMs;

/** Builds the tree; the spans may come in any order. Of several spans with one id the last counts. */
export function spanTree(spans: readonly SpanRecord[]): SpanTree {
  const byId = new Map<string, SpanNode>();
  for (const span of spans) byId.set(span.spanId, nodeOf(span));
  const nodes = [...byId.values()].sort((a, b) => a.span.startTime - b.span.startTime);
  for (const node of nodes) attach(node, byId);
  breakCircles(nodes);
  addAttempts(nodes);
  return { nodes, roots: nodes.filter(({ parent }) => parent === undefined) };
}

const NO_LINKS: readonly string[] = [];
const NONE: readonly SpanNode[] = Object.freeze([]);

/** All members from the start, so that ten thousand of them have one shape; and no list where nothing is below. */
function nodeOf(span: SpanRecord): SpanNode {
  return { span, children: NONE, parent: undefined, previous: undefined, wait: undefined, unattached: undefined, critical: false, byEnd: undefined, left: false };
}

function addChild(parent: SpanNode, child: SpanNode): void {
  if (parent.children === NONE) parent.children = [child];
  else (parent.children as SpanNode[]).push(child);
}

function attach(node: SpanNode, byId: ReadonlyMap<string, SpanNode>): void {
  const { parentSpanId, links = NO_LINKS } = node.span;
  const byParent = parentSpanId === undefined ? undefined : byId.get(parentSpanId);
  const parent = byParent && byParent !== node ? byParent : links.map((link) => byId.get(link.split('-')[2] ?? '')).find((found) => found !== undefined && found !== node);
  if (parent) {
    node.parent = parent;
    addChild(parent, node);
  } else if (parentSpanId !== undefined) node.unattached = 'parent is not kept';
}

/** Nothing reaches the spans of a circle from a root: the earliest of them becomes one. */
function breakCircles(nodes: readonly SpanNode[]): void {
  if (reachable(nodes) === nodes.length) return;
  const reached = new Set<SpanNode>();
  const reach = (from: SpanNode): void => {
    const waiting = [from];
    for (let node = waiting.pop(); node; node = waiting.pop()) {
      if (reached.has(node)) continue;
      reached.add(node);
      waiting.push(...node.children);
    }
  };
  for (const node of nodes) if (!node.parent) reach(node);
  for (const node of nodes) {
    if (reached.has(node)) continue;
    const { parent } = node;
    if (parent) parent.children = parent.children.filter((child) => child !== node);
    node.parent = undefined;
    node.unattached = 'its parents go in a circle';
    reach(node);
  }
}

/** How many nodes there are below the roots. Each has one parent, so none is met twice. */
function reachable(nodes: readonly SpanNode[]): number {
  const waiting = nodes.filter(({ parent }) => parent === undefined);
  let count = 0;
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    count += 1;
    for (const child of node.children) waiting.push(child);
  }
  return count;
}

/** Finds the attempts at one message and what each of them waited for. */
function addAttempts(nodes: readonly SpanNode[]): void {
  const consumers = new Map<unknown, SpanNode[]>();
  for (const node of nodes) {
    const { kind, attributes, startTime } = node.span;
    if (kind !== 'consumer') continue;
    node.previous = formerAttempt(node, consumers);
    const kindOfWait = node.previous || attemptOf(attributes) > 1 ? 'backoff' : 'queue';
    const since = node.previous ? endOf(node.previous.span) : enqueuedAt(attributes);
    if (since !== undefined && since < startTime) node.wait = { kind: kindOfWait, startTime: since, durationMs: startTime - since };
  }
}

/** The last one so far at the same message, for the same Step and topic; notes this one. */
function formerAttempt(node: SpanNode, consumers: Map<unknown, SpanNode[]>): SpanNode | undefined {
  const { attributes, stepName } = node.span;
  const message = attributes['messaging.message.id'];
  if (message === undefined) return undefined;
  const of = consumers.get(message);
  if (of === undefined) {
    consumers.set(message, [node]);
    return undefined;
  }
  const topic = attributes['messaging.destination.name'];
  const at = of.findIndex(({ span }) => span.stepName === stepName && span.attributes['messaging.destination.name'] === topic);
  const former = of[at];
  if (former) of[at] = node;
  else of.push(node);
  return former;
}
