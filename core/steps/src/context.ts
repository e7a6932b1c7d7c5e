import type { Env } from './environment.js';
import type { StepLogger } from './logger.js';
import type { CallOperation } from './operations.js';
import type { Setups } from './setup.js';
import type { State, StreamClients } from './state.js';
import type { Topic } from './topic.js';

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

/** A message for whatever topic. */
export type AnyMessage = { readonly topic: string | Topic; readonly data: unknown } & EnqueueOptions;

/** `Length` is inferred from arrays only. */
type OneOrMany<M, Length> = M | (readonly M[] & { readonly length: Length });

/**
 * Publishes messages; resolves when they are durable. An array is stored as a whole or not at all. One signature for both: a
 * mistake in a message is one error, at its place.
 */
export type Publish<Message> =
  <Length extends number | undefined = undefined>(message: OneOrMany<Message, Length>) =>
    Promise<Length extends number ? { messageId: string }[] : { messageId: string }>;

/** A function for each trigger kind; `default` for those without one. Each may give back something else, or nothing. */
export type CasesOf<Inputs extends object, Input> = {
  readonly [Kind in keyof Inputs]?: (input: Inputs[Kind]) => unknown;
} & { readonly default?: (input: Input) => unknown };

/** What the functions of `match` give back, promises waited for. */
export type MatchResult<Cases> = {
  [Kind in keyof Cases]: Cases[Kind] extends ((input: never) => infer R) | undefined ? Awaited<R> : never
}[keyof Cases];

/** Tells what started the handler, and narrows the input. */
export type GuardsOf<Inputs extends object> = {
  readonly [Kind in keyof Inputs]: (input: unknown) => input is Inputs[Kind];
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

/**
 * What a handler is given beside its input, whatever its config: `Message` is what it may enqueue, `Inputs` has the input of each trigger kind that may have
 * fired, `Input` is one of all these.
 */
export interface RunContext<Message = AnyMessage, Inputs extends object = Readonly<Record<string, unknown>>, Input = unknown> extends AddedContext {
  readonly logger: StepLogger;
  readonly enqueue: Publish<Message>;
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
  readonly trigger: { readonly type: keyof Inputs & string; readonly index: number };
  /** Runs the function of the trigger kind that fired and resolves to its result. */
  match<const Cases extends CasesOf<Inputs, Input>>(cases: Cases): Promise<MatchResult<Cases>>;
  readonly is: GuardsOf<Inputs>;
  getData(): DataOf<Input>;
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
