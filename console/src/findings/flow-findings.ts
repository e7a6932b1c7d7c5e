import type { Finding, FlowEdge } from '../contract/index.js';
import { closedCircles } from '../flows/closed-circles.js';
import type { FlowFacts } from '../flows/flow-graph.js';
import { flowEdges } from '../flows/flow-edges.js';
import { failingFindings } from './failing-findings.js';
import { placeOf, type Steps } from './step-place.js';

/** Runs after which a topic that is declared and was never enqueued to is worth a word. */
const ENOUGH_RUNS = 20;

/** The findings of topics say the same. */
const TOLD_BY_TOPIC: ReadonlySet<string> = new Set(['STEP_TOPIC_NOT_CONSUMED', 'STEP_TOPIC_NOT_ENQUEUED']);

/** What is wrong with Steps and with what leads from one to the other. */
export function flowFindings(facts: FlowFacts): readonly Finding[] {
  const edges = flowEdges(facts);
  const steps: Steps = new Map(facts.steps.map((step) => [step.id, step]));
  return [...diagnosticFindings(facts), ...failingFindings(facts.activity, steps), ...edgeFindings(facts, edges, steps), ...topicFindings(edges), ...cycleFindings(edges, steps)];
}

function diagnosticFindings({ diagnostics }: FlowFacts): readonly Finding[] {
  return diagnostics.filter(({ code }) => !TOLD_BY_TOPIC.has(code)).map(({ severity, code, message, remedy, step, file, line }) => ({
    id: `step_diagnostic:${code}:${file}:${line ?? 0}`, severity, code: 'step_diagnostic' as const, message: `${code}: ${message}`, remedy,
    about: step === undefined ? {} : { step }, file, ...line !== undefined && { line },
  }));
}

function edgeFindings({ activity }: FlowFacts, edges: readonly FlowEdge[], steps: Steps): readonly Finding[] {
  const runsOf = new Map(activity.items.map(({ step, runs }) => [step, runs.count]));
  return edges.filter(({ kind, virtual }) => kind === 'enqueues' && virtual !== true).flatMap(({ from, to, declared, seen }): readonly Finding[] => {
    const [step, topic] = [nameOf(from), nameOf(to)];
    const record = steps.get(step);
    if (!record) return [];
    if (!declared) {
      const all = [...new Set([...record.config.enqueues ?? [], topic])];
      return [{
        id: `undeclared_enqueue:${step}:${topic}`, severity: 'error', code: 'undeclared_enqueue', message: `${step} enqueues to ${topic}, which its config does not say`, remedy: `add "${topic}" to enqueues`,
        about: { step, topic }, count: seen, fix: `enqueues: [${all.map((one) => `'${one}'`).join(', ')}],`, ...placeOf(steps, step),
      }];
    }
    const runs = runsOf.get(step) ?? 0;
    if (seen > 0 || runs < ENOUGH_RUNS) return [];
    return [{
      id: `enqueue_never_seen:${step}:${topic}`, severity: 'info', code: 'enqueue_never_seen', message: `${step} says that it enqueues to ${topic}, and did not in its last ${runs} runs`,
      remedy: 'take the topic out of enqueues if it is no longer meant', about: { step, topic }, ...placeOf(steps, step),
    }];
  });
}

function topicFindings(edges: readonly FlowEdge[]): readonly Finding[] {
  const [made, taken] = [new Set(edges.map(({ to }) => to)), new Set(edges.map(({ from }) => from))];
  const topics = [...new Set(edges.flatMap(({ from, to }) => [from, to]).filter((id) => id.startsWith('topic:')))];
  return topics.flatMap((id): readonly Finding[] => {
    const topic = nameOf(id);
    if (made.has(id) && !taken.has(id)) {
      return [{ id: `topic_without_consumer:${topic}`, severity: 'warning', code: 'topic_without_consumer', message: `nobody consumes the topic ${topic}`, remedy: 'add a Step with a queue trigger for it, or stop enqueuing', about: { topic } }];
    }
    if (made.has(id)) return [];
    return [{ id: `topic_without_producer:${topic}`, severity: 'info', code: 'topic_without_producer', message: `no Step enqueues to the topic ${topic}`, remedy: 'nothing is to be done if programs outside enqueue to it', about: { topic } }];
  });
}

/** Steps whose messages lead back to them and nowhere else. */
function cycleFindings(edges: readonly FlowEdge[], steps: Steps): readonly Finding[] {
  const circleOf = new Map(closedCircles(edges.filter(isWay)).flatMap((circle) => circle.map((node) => [node, circle] as const)));
  const told = new Set<readonly string[]>();
  return [...steps.keys()].flatMap((id): readonly Finding[] => {
    const circle = circleOf.get(`step:${id}`);
    if (!circle || told.has(circle)) return [];
    told.add(circle);
    const named = (kind: string): readonly string[] => circle.filter((other) => other.startsWith(kind)).map(nameOf).sort();
    return [{
      id: `enqueue_cycle:${id}`, severity: 'warning', code: 'enqueue_cycle', message: cycleText(named('step:'), named('topic:')),
      remedy: 'in one of these Steps, enqueue only under a condition that ends, such as a counter in the message', about: { step: id }, ...placeOf(steps, id),
    }];
  });
}

/** Whether messages go that way: what is only drawn carries none. */
function isWay({ kind, virtual, seen }: FlowEdge): boolean {
  return kind !== 'touches' && (virtual !== true || seen > 0);
}

function cycleText(circle: readonly string[], topics: readonly string[]): string {
  const over = `${topics.length === 1 ? 'the topic' : 'the topics'} ${topics.join(', ')}`;
  if (circle.length === 1) return `${circle[0] ?? ''} consumes what it enqueues itself (${over}), and enqueues nothing else: one message may cause others for ever`;
  return `${circle.join(', ')} enqueue to each other over ${over}, and to nothing else: one message may cause others for ever`;
}

function nameOf(id: string): string {
  return id.slice(id.indexOf(':') + 1);
}
