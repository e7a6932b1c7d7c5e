import { inspect, type InspectOptions } from 'node:util';
import type { HttpRequest, MatchCases, StepConfig, StepContext, StepLogger, StepSpan } from 'treadle';
import { callOperation, enqueue, stateClient, type Operate } from './operations.js';
import { logCall } from './log-call.js';
import type { Generation } from '../setup/generation.js';
import type { RunnerLogEntry } from '../runner-host.js';
import type { HandlerSpan } from '../telemetry/handler-span.js';
import type { InvokeInput } from './invoke.js';
import type { RunnableStep, TriggerPlan } from './runnable-step.js';
import { streamClients } from './stream-clients.js';

type Loose = StepContext;
type Level = RunnerLogEntry['level'];

/** What a context is a view of. */
export interface ContextRun {
  readonly step: RunnableStep;
  readonly plan: TriggerPlan;
  readonly invoke: InvokeInput;
  /** First argument of the handler. */
  readonly input: unknown;
  /** What was open when it began. */
  readonly open: Generation;
  /** Milliseconds since the Unix epoch, as all times here. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly span: HandlerSpan;
  /** Names of the streams that this process declares. */
  readonly declaredStreams: () => Iterable<string>;
  now(): number;
  log(level: Level, message: string, fields?: RunnerLogEntry['fields']): void;
  readonly operation: Operate;
}

/** Key of the invocation behind a context. */
const RUN = Symbol('run');

/**
 * Second argument of a handler. Its members are getters on the prototype and made when first asked for: most handlers
 * use two or three of them, and a request should pay for no more. What handlers get is a proxy, which shows the members as
 * its own: `{ ...ctx, more }` and `Object.keys(ctx)` work.
 */
export class HandlerContext implements Loose {
  readonly #run: ContextRun;
  #operate: Operate | undefined;
  #logger: StepLogger | undefined;
  #enqueue: Loose['enqueue'] | undefined;
  #state: Loose['state'] | undefined;
  #streams: Loose['streams'] | undefined;
  #call: Loose['call'] | undefined;
  #match: Loose['match'] | undefined;

  constructor(run: ContextRun) {
    this.#run = run;
    return new Proxy(this, AS_OWN_MEMBERS);
  }

  /** The invocation behind a context, or undefined for an object that is none. */
  static runOf(context: unknown): ContextRun | undefined {
    return (context as Partial<HandlerContext> | undefined)?.[RUN];
  }

  get [RUN](): ContextRun {
    return this.#run;
  }

  /** What `console.log(ctx)` shows: its members. */
  [inspect.custom](depth: number, options: InspectOptions): string {
    return depth < 0 ? '[HandlerContext]' : `HandlerContext ${inspect({ ...this }, options)}`;
  }

  get logger(): StepLogger {
    return (this.#logger ??= makeLogger(this.#run));
  }

  get enqueue(): Loose['enqueue'] {
    return (this.#enqueue ??= ((input: unknown) => enqueue(input, this.#run.step, this.#operation)) as Loose['enqueue']);
  }

  get state(): Loose['state'] {
    return (this.#state ??= stateClient(this.#operation));
  }

  get streams(): Loose['streams'] {
    return (this.#streams ??= streamClients(this.#operation, this.#run.declaredStreams));
  }

  get call(): Loose['call'] {
    return (this.#call ??= ((name: unknown, args?: unknown) => callOperation(name, args, this.#operation)) as Loose['call']);
  }

  get setup(): Loose['setup'] {
    return this.#run.open.setup as Loose['setup'];
  }

  get env(): Loose['env'] {
    return this.#run.open.env as Loose['env'];
  }

  get traceId(): string {
    return this.#run.invoke.traceparent.slice(3, 35);
  }

  get trigger(): Loose['trigger'] {
    return this.#run.invoke.trigger as Loose['trigger'];
  }

  get match(): Loose['match'] {
    return (this.#match ??= (async (cases: MatchCases<StepConfig>) => matchCase(this.#run, cases)) as Loose['match']);
  }

  get is(): Loose['is'] {
    return kindGuards(this.#run.invoke.trigger.type);
  }

  get getData(): Loose['getData'] {
    return (() => (this.#run.plan.type === 'http' ? (this.#run.input as { body: unknown }).body : this.#run.input)) as Loose['getData'];
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get attempt(): number {
    return this.#run.invoke.attempt;
  }

  get deadline(): number {
    return this.#run.startedAt + this.#run.invoke.timeoutMs;
  }

  get message(): Loose['message'] {
    const { invoke: { message, attempt }, plan: { topic = '' } } = this.#run;
    return message && { id: message.id, topic, headers: message.headers ?? {}, enqueuedAt: message.enqueuedAt, attempt };
  }

  get now(): Loose['now'] {
    return () => this.#run.now();
  }

  get ip(): string | undefined {
    return this.#request?.ip;
  }

  get cookies(): Readonly<Record<string, string>> {
    return this.#request?.cookies ?? {};
  }

  get stepName(): string {
    return this.#run.step.step;
  }

  get trace(): StepSpan {
    return this.#run.span;
  }

  get #request(): Pick<HttpRequest, 'ip' | 'cookies'> | undefined {
    return this.#run.plan.type === 'http' ? this.#run.input as HttpRequest : undefined;
  }

  get #operation(): Operate {
    return (this.#operate ??= (op, args, pick) => this.#run.operation(op, args, pick));
  }
}

const MEMBERS: ReadonlySet<string | symbol> = new Set(Object.entries(Object.getOwnPropertyDescriptors(HandlerContext.prototype))
  .flatMap(([name, { get }]) => (get ? [name] : [])));

/** Getters run on the context itself, whose private fields a proxy lacks. What an application adds to a context is its own, too. */
const AS_OWN_MEMBERS: ProxyHandler<HandlerContext> = {
  get: (context, name) => context[name as keyof HandlerContext],
  ownKeys: (context) => [...new Set([...MEMBERS, ...Reflect.ownKeys(context)])],
  getOwnPropertyDescriptor: (context, name) => Reflect.getOwnPropertyDescriptor(context, name)
    ?? (MEMBERS.has(name) ? { value: context[name as keyof HandlerContext], enumerable: true, configurable: true } : undefined),
};

/** Gives a context the members that a middleware handed to `next()`. @throws TypeError for what is no object, or names what every context has */
export function addMembers(context: HandlerContext, added: unknown): void {
  if (typeof added !== 'object' || added === null || Array.isArray(added) || added instanceof Error) {
    const given = added instanceof Error ? 'an error; throw it' : Array.isArray(added) ? 'an array' : String(added);
    throw new TypeError(`next() takes an object whose members the context gets, not ${given}`);
  }
  for (const [name, value] of Object.entries(added)) {
    if (name in HandlerContext.prototype) throw new TypeError(`next() was given "${name}", which every context has; choose another name`);
    Object.defineProperty(context, name, { value, enumerable: true, configurable: true, writable: true });
  }
}

function makeLogger(run: ContextRun): StepLogger {
  const write = (level: Level) => (first: unknown, second?: unknown): void => {
    const { message, fields } = logCall(first, second);
    run.log(level, message, fields);
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function matchCase(run: ContextRun, cases: MatchCases<StepConfig>): unknown {
  const { type } = run.invoke.trigger;
  const table = cases as Readonly<Record<string, ((input: unknown) => unknown) | undefined>>;
  const chosen = Object.hasOwn(table, type) ? table[type] : table['default'];
  if (!chosen) throw new Error(`ctx.match has no case for trigger kind "${type}" and no default`);
  return chosen(run.input);
}

/** One set of guards per kind that fired, shared by all invocations. */
const GUARDS = new Map<string, Loose['is']>();

function kindGuards(type: string): Loose['is'] {
  let guards = GUARDS.get(type);
  if (!guards) {
    // `then` and `toJSON` would be called by `await` and by JSON.stringify.
    const get = (_target: object, kind: string | symbol): unknown => (kind === 'then' || kind === 'toJSON' ? undefined : () => kind === type);
    GUARDS.set(type, guards = new Proxy(Object.freeze({}), { get }) as Loose['is']);
  }
  return guards;
}
