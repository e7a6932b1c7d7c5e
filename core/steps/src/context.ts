import { AsyncLocalStorage } from 'node:async_hooks';
import type { StepConfig } from './config.js';
import type { Env } from './environment.js';
import type { KindInput, StepInput, TriggersOf } from './input.js';
import type { CallOperation } from './operations.js';
import type { Setups } from './setup.js';
import type { State, StreamClients } from './state.js';
import type { Topic, TopicInput, TopicName } from './topic.js';

/** Writes structured records in the name of the Step and its trace. */
export interface StepLogger {
  debug: LogCall;
  info: LogCall;
  warn: LogCall;
  error: LogCall;
}

/** Writes a record. */
export interface LogCall {
  (message: string, fields?: object): void;
  /** Of an error its message, with its name and stack as fields; of other fields their `message`. Text that follows is the message instead. */
  (errorOrFields: object, messageOrFields?: string | object): void;
}

/** What a message may say beside topic and data. */
export interface EnqueueOptions {
  /** Deliver no earlier than this many milliseconds from now. */
  readonly delayMs?: number | undefined;
  /** Deliver no earlier than this moment. */
  readonly at?: Date | string | number | undefined;
  /** A repeat within 24 h writes nothing and resolves to the first `messageId`. */
  readonly dedupeKey?: string | undefined;
  /** Messages of one group are delivered in order to `fifo` triggers. */
  readonly messageGroupId?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

type TopicsOf<C extends StepConfig> = C extends { readonly enqueues: readonly (infer T)[] } ? T : never;

/** A message for one of the topics in the config's `enqueues`. */
export type EnqueueMessage<C extends StepConfig> =
  StepConfig extends C ? { readonly topic: string | Topic; readonly data: unknown } & EnqueueOptions
    : TopicsOf<C> extends infer T
      ? (T extends unknown ? { readonly topic: T | TopicName<T>; readonly data: TopicInput<T> } & EnqueueOptions : never)
      : never;

/** `Length` is inferred from arrays only. */
type OneOrMany<M, Length> = M | (readonly M[] & { readonly length: Length });

/**
 * Publishes messages; resolves when they are durable. An array is stored as a whole or not at all. One signature for both: a
 * mistake in a message is one error, at its place.
 */
export type Enqueue<C extends StepConfig> =
  <Length extends number | undefined = undefined>(message: OneOrMany<EnqueueMessage<C>, Length>) =>
    Promise<Length extends number ? { messageId: string }[] : { messageId: string }>;

type KindsOf<C extends StepConfig> = TriggersOf<C>['type'];

/** A function per trigger kind; `default` for those without one. Each may give back something else, or nothing. */
export type MatchCases<C extends StepConfig> = {
  readonly [Kind in KindsOf<C>]?: (input: KindInput<C, Kind>) => unknown;
} & { readonly default?: (input: StepInput<C>) => unknown };

/** What the functions of `match` give back, promises waited for. */
export type MatchResult<Cases> = {
  [Kind in keyof Cases]: Cases[Kind] extends ((input: never) => infer R) | undefined ? Awaited<R> : never
}[keyof Cases];

/** Tells what started the handler, and narrows the input. */
export type KindGuards<C extends StepConfig> = {
  readonly [Kind in KindsOf<C>]: (input: unknown) => input is KindInput<C, Kind>;
};

/** Body of a request, data of a message, else the input itself. */
export type DataOf<I> = I extends { readonly body: infer B; readonly pathParams: unknown } ? B : I;

/** OpenTelemetry span of this run, by shape. It keeps nothing while the run is not traced: telemetry off, trace not sampled. */
export interface StepSpan {
  spanContext(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };
  setAttribute(key: string, value: string | number | boolean): unknown;
  addEvent(name: string, attributes?: Readonly<Record<string, string | number | boolean>>): unknown;
  recordException(error: Error): void;
}

/**
 * What else contexts have in this application, such as what middleware of a folder adds:
 * `declare module 'treadle' { interface AddedContext { auth?: User } }`.
 */
export interface AddedContext {}

/** What is known of a message beside its data. */
export interface MessageInfo {
  /** The same for all attempts: a key by which work is done once. Several Steps that consume a topic get the same one. */
  readonly id: string;
  readonly topic: string;
  /** As they were enqueued. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the Unix epoch. */
  readonly enqueuedAt: number;
  /** From 1. */
  readonly attempt: number;
}

/** Second argument of a handler. */
export interface StepContext<C extends StepConfig = StepConfig> extends AddedContext {
  readonly logger: StepLogger;
  readonly enqueue: Enqueue<C>;
  readonly state: State;
  readonly streams: StreamClients;
  /** Calls an operation that a plugin brings. */
  readonly call: CallOperation;
  /** What files `*.setup.ts` have opened in this process, by their names. */
  readonly setup: Setups;
  /** The environment variables that `*.env.ts` declares. */
  readonly env: Env;
  /** 32 hex digits. */
  readonly traceId: string;
  /** Which trigger fired. */
  readonly trigger: { readonly type: KindsOf<C>; readonly index: number };
  /** Runs the function of the trigger kind that fired and resolves to its result. */
  match<const Cases extends MatchCases<C>>(cases: Cases): Promise<MatchResult<Cases>>;
  readonly is: KindGuards<C>;
  getData(): DataOf<StepInput<C>>;
  /** Aborts on timeout, cancellation and when the client has gone. */
  readonly signal: AbortSignal;
  /** The message that is delivered; undefined for other triggers. */
  readonly message: MessageInfo | undefined;
  /** Milliseconds since the Unix epoch, by the engine's clock: a test that moves its clock moves this, too. */
  now(): number;
  /** Address of the client that sent the request; undefined for other triggers. */
  readonly ip: string | undefined;
  /** Cookies of the request, by name; none for other triggers. */
  readonly cookies: Readonly<Record<string, string>>;
  /** From 1. */
  readonly attempt: number;
  /** Milliseconds since the Unix epoch at which time is up. */
  readonly deadline: number;
  readonly stepName: string;
  /** The handler's span; also the active one of `@opentelemetry/api`. */
  readonly trace?: StepSpan | undefined;
}

const STORAGE = Symbol.for('treadle.context');
const TRACKING = Symbol.for('treadle.context-tracking');
interface Shared {
  [STORAGE]?: AsyncLocalStorage<StepContext>;
  [TRACKING]?: Uint8Array;
}

/** Where the current context is kept; one per process, whatever the number of copies of this package. */
export function contextStorage(): AsyncLocalStorage<StepContext> {
  const shared = globalThis as unknown as Shared;
  return (shared[STORAGE] ??= new AsyncLocalStorage<StepContext>());
}

/**
 * One byte in shared memory, per process: 1 once something may ask for the current context, so that handlers have to run
 * inside the storage; 0 before. It never goes back. For those who run handlers.
 */
export function contextTracking(): Uint8Array {
  const shared = globalThis as unknown as Shared;
  return (shared[TRACKING] ??= new Uint8Array(new SharedArrayBuffer(1)));
}

/**
 * The context of the handler that the caller runs in, anywhere below it. Inside the engine's own process it is kept only
 * when code that can ask for it was loaded: code that is first imported by a running handler has it from the next
 * invocation on.
 * @throws Error outside a handler.
 */
export function getContext(): StepContext {
  const context = contextStorage().getStore();
  // While a file is imported there is something in the storage that is no context.
  if (context && !('loadedFile' in context)) return context;
  contextTracking()[0] = 1;
  throw new Error('getContext() was called outside a handler; it works while a Step\'s handler runs');
}
