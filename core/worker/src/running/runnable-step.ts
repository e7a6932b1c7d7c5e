import { isTopic } from 'treadle';
import { httpChecks, type HttpCheck } from './http-checks.js';
import { validatorOf, type Validate } from './validate.js';

export type Handler = (input: unknown, context: unknown) => unknown;
export type MiddlewareFunction = (input: unknown, context: unknown, next: (added?: unknown) => Promise<unknown>) => unknown;

/** What one trigger of a Step asks for before the handler runs, found once when the file is loaded. */
export interface TriggerPlan {
  readonly type: string;
  /** Path of an http trigger. */
  readonly route?: string | undefined;
  /** Of a queue trigger. */
  readonly topic?: string | undefined;
  /** Of body, query and headers, as far as a library makes them. */
  readonly checks: readonly HttpCheck[];
  readonly input: Validate | undefined;
  /** Around validation and all that follows. */
  readonly middleware: readonly MiddlewareFunction[];
  /** Around the condition and the handler, for what is valid. */
  readonly inner: readonly MiddlewareFunction[];
  readonly condition: Handler | undefined;
  /** The engine has coerced the query with a querySchema. */
  readonly coerced: boolean;
  /** What the handler gives back goes to the engine. */
  readonly answers: boolean;
}

/** A Step ready to run. */
export interface RunnableStep {
  /** Its name. */
  readonly step: string;
  readonly handler: Handler;
  readonly plans: readonly TriggerPlan[];
  readonly enqueues: ReadonlySet<string>;
}

/** Makes a Step runnable from its config as the file exports it, or undefined when it has no name to be called by. */
export function toRunnableStep(config: Readonly<Record<string, unknown>>, handler: Handler): RunnableStep | undefined {
  const { name, triggers, enqueues } = config;
  if (typeof name !== 'string' || name === '') return undefined;
  const topics = Array.isArray(enqueues) ? enqueues.map((topic: unknown) => (isTopic(topic) ? topic.topic : String(topic))) : [];
  return { step: name, handler, plans: Array.isArray(triggers) ? triggers.map(toPlan) : [], enqueues: new Set(topics) };
}

/** A function of a declaration, called under `name` by its one trigger; what it gives back goes to the engine. */
export function answeringStep(name: string, trigger: string, handler: Handler): RunnableStep {
  return { step: name, handler, plans: [{ ...toPlan({ type: trigger }), answers: true }], enqueues: new Set() };
}

function toPlan(trigger: unknown): TriggerPlan {
  const keys = (typeof trigger === 'object' && trigger !== null ? trigger : {}) as Readonly<Record<string, unknown>>;
  const [middleware, inner] = middlewareOf(keys['middleware']);
  const condition = typeof keys['condition'] === 'function' ? (keys['condition'] as Handler) : undefined;
  const coerced = keys['querySchema'] !== undefined;
  const input = validatorOf(keys['input'] ?? topicSchema(keys['topic']));
  const route = keys['type'] === 'http' && typeof keys['path'] === 'string' ? keys['path'] : undefined;
  const topic = isTopic(keys['topic']) ? keys['topic'].topic : keys['topic'] as string | undefined;
  return { type: String(keys['type']), route, topic, checks: httpChecks(keys), input, middleware, inner, condition, coerced, answers: false };
}

/** Schema of a typed topic; it checks messages unless the trigger has an `input` of its own. */
export function topicSchema(topic: unknown): unknown {
  return isTopic(topic) ? topic.schema : undefined;
}

/** Middleware is a function, or `{ run, after: 'validation' }`. */
export function isMiddleware(item: unknown): item is MiddlewareFunction | LaterMiddleware {
  return typeof item === 'function' || isLater(item);
}

interface LaterMiddleware {
  readonly run: MiddlewareFunction;
  readonly after: 'validation';
}

function isLater(item: unknown): item is LaterMiddleware {
  const { run, after } = (item ?? {}) as { run?: unknown; after?: unknown };
  return typeof run === 'function' && after === 'validation';
}

/** Those before validation, and those after it. */
export function middlewareOf(value: unknown): readonly [readonly MiddlewareFunction[], readonly MiddlewareFunction[]] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return [list.filter((item): item is MiddlewareFunction => typeof item === 'function'), list.filter(isLater).map(({ run }) => run)];
}
