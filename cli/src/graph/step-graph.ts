import type { StepRecord } from '@treadle/api';
import type { Listing } from '../listing/listed-step.js';

/** A Step between what starts it and whom it starts. */
export interface GraphStep {
  readonly step: string;
  readonly file: string;
  /** Triggers other than topics that Steps of the application enqueue. */
  readonly startedBy: readonly string[];
  /** Topics that it enqueues, or says that it does (`virtualEnqueues`), with the Steps that take them. */
  readonly enqueues: readonly { readonly topic: string; readonly to: readonly string[] }[];
}

/** The Steps of an application and the topics between them. */
export interface StepGraph {
  readonly steps: readonly GraphStep[];
}

export function stepGraph(steps: readonly StepRecord[], labelOf: Listing['labelOf']): StepGraph {
  const enqueued = new Set(steps.flatMap(topicsOf));
  const takers = (topic: string): readonly string[] => steps.filter((step) => takenBy(step).includes(topic)).map(({ id }) => id);
  return {
    steps: steps.map((step) => ({
      step: step.id, file: step.file,
      startedBy: step.config.triggers.filter(({ type, topic }) => type !== 'queue' || !enqueued.has(String(topic))).map(labelOf),
      enqueues: topicsOf(step).map((topic) => ({ topic, to: takers(topic) })),
    })),
  };
}

/** One branch per Step. */
export function formatStepTree({ steps }: StepGraph): string {
  if (steps.length === 0) return 'no Steps in steps/ and src/.';
  return steps.flatMap(({ step, file, startedBy, enqueues }) => {
    const details = [
      ...startedBy.map((trigger) => `started by ${trigger}`),
      ...enqueues.map(({ topic, to }) => `enqueues ${topic} → ${to.join(', ') || '(no Step takes it)'}`),
    ];
    return [`${step}  ${file}`, ...details.map((text, index) => `${index === details.length - 1 ? '└─' : '├─'} ${text}`)];
  }).join('\n');
}

/** A Mermaid flowchart: arrows lead from what starts to what is started. */
export function formatStepMermaid({ steps }: StepGraph): string {
  const idOf = new Map(steps.map(({ step }, index) => [step, `s${index + 1}`]));
  const lines = steps.flatMap(({ step, startedBy, enqueues }) => {
    const id = idOf.get(step) ?? '';
    return [
      `  ${id}["${quoted(step)}"]`,
      ...startedBy.map((trigger, index) => `  ${id}t${index + 1}(["${quoted(trigger)}"]) --> ${id}`),
      ...enqueues.flatMap(({ topic, to }) => to.map((taker) => `  ${id} -- "${quoted(topic)}" --> ${idOf.get(taker) ?? ''}`)),
    ];
  });
  return ['flowchart LR', ...lines].join('\n');
}

function topicsOf({ config }: StepRecord): readonly string[] {
  return [...new Set([...(config.enqueues ?? []), ...(config.virtualEnqueues ?? [])])];
}

function takenBy({ config }: StepRecord): readonly string[] {
  return [...config.triggers.filter(({ type }) => type === 'queue').map(({ topic }) => String(topic)), ...(config.virtualSubscribes ?? [])];
}

function quoted(text: string): string {
  return text.replaceAll('"', '#quot;');
}
