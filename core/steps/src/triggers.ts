import type { RunContext } from './context.js';
import type { CronInput, HttpRequest, StateChange, StreamChange } from './input.js';
import type { AnyMiddleware, LaterMiddleware } from './middleware.js';
import type { Schema } from './schema.js';
import type { Topic } from './topic.js';

/** Methods that an http trigger may have. OPTIONS is answered by the engine, HEAD from GET where no Step has it. */
export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/** Declared as a method: whoever annotates its parameters more closely than the kind does may do so. */
interface Written<Input> {
  condition(input: Input, ctx: RunContext): boolean | Promise<boolean>;
}

/** `(input, ctx) => …`: only `true` runs the handler. The body or data is `unknown` unless the parameter is annotated. */
export type Condition<Input = unknown> = Written<Input>['condition'];

interface Conditional<Input> {
  readonly condition?: Condition<Input> | undefined;
}

/** Cross-origin rules of one route, instead of the engine's. */
export interface CorsOptions {
  /** Exact origins such as `https://app.example`, or `*` alone. */
  readonly allowedOrigins: readonly string[];
  /** Default: the methods of the path. */
  readonly allowedMethods?: readonly string[] | undefined;
  /** Default: those that the preflight asks for. */
  readonly allowedHeaders?: readonly string[] | undefined;
  /** Response headers that a page may read. Default: none. */
  readonly exposedHeaders?: readonly string[] | undefined;
  /** Allow cookies and authorization; not together with `*`. Default false. */
  readonly credentials?: boolean | undefined;
  /** How long a browser may keep a preflight, 0 to 86,400. Default 600. */
  readonly maxAgeSeconds?: number | undefined;
}

/** What an http trigger may say beside method and path. */
export interface HttpOptions extends Conditional<HttpRequest> {
  /** Validates the body; its output type is the handler's `body`. */
  readonly bodySchema?: Schema | undefined;
  /** Status code to schema of the response body. */
  readonly responseSchema?: Readonly<Record<number, Schema>> | undefined;
  /** Query values are strings unless this schema asks for something else. */
  readonly querySchema?: Schema | undefined;
  /** Validates the headers; their names are in lower case. */
  readonly headersSchema?: Schema | undefined;
  /** The first one outermost; functions lie around validation, `{ run, after: 'validation' }` within it. */
  readonly middleware?: AnyMiddleware | LaterMiddleware | readonly (AnyMiddleware | LaterMiddleware)[] | undefined;
  /** Largest body in bytes. Default: the engine's (1 MiB). */
  readonly bodyLimit?: number | undefined;
  /** Time limit of the handler in milliseconds. Default: the engine's (30,000). */
  readonly timeoutMs?: number | undefined;
  /** Instead of the engine's rules. */
  readonly cors?: CorsOptions | undefined;
  /** Hand the bytes of the body to the handler as `rawBody`. */
  readonly rawBody?: boolean | undefined;
  /** What happens when a result does not fit `responseSchema`. Default: the engine's (`enforce`). */
  readonly responseValidation?: 'enforce' | 'warn' | 'off' | undefined;
  /** Hold what middleware answers to `responseSchema`, too. Default false. */
  readonly validateMiddleware?: boolean | undefined;
}

/** Starts the handler for an HTTP request; the handler's result is the answer. */
export interface HttpTrigger extends HttpOptions {
  readonly type: 'http';
  readonly method: HttpMethod;
  /** Segments that start with `:` are path parameters; a final `*rest` takes the rest. */
  readonly path: string;
}

/** How long a message waits between attempts: `delayMs * factor^(n-1)` after the n-th failure, at most `maxMs`, less the random part. */
export interface QueueBackoff {
  /** `fixed` stays at `delayMs`. Default `exponential`. */
  readonly type?: 'exponential' | 'fixed' | undefined;
  /** Milliseconds after the first failure, 0 to a day. Default 1,000. */
  readonly delayMs?: number | undefined;
  /** By which each delay grows, 1 to 100. Default 3. */
  readonly factor?: number | undefined;
  /** Longest delay in milliseconds, at most a day. Default 900,000. */
  readonly maxMs?: number | undefined;
  /** Part of the delay that is random, 0 to 1. Default 0.5. */
  readonly jitter?: number | undefined;
}

/** How messages are delivered. */
export interface QueueConfig {
  /** `fifo`: strict order within a `messageGroupId`. Default `standard`. */
  readonly type?: 'standard' | 'fifo' | undefined;
  /** Attempts until a message becomes a dead letter, 1 to 1,000. Default 10. */
  readonly maxAttempts?: number | undefined;
  /** `maxAttempts` - 1. */
  readonly maxRetries?: number | undefined;
  readonly backoff?: QueueBackoff | undefined;
  /** The same as `backoff.type`. */
  readonly backoffType?: 'exponential' | 'fixed' | undefined;
  /** The same as `backoff.delayMs`. */
  readonly backoffDelayMs?: number | undefined;
  /** Running deliveries of this Step in one engine, 1 to 10,000; default 10. `total`: of this topic in all engines of the store together; default no limit. */
  readonly concurrency?: number | { readonly limit?: number | undefined; readonly total?: number | undefined } | undefined;
  /** Time limit of an attempt in milliseconds, 100 to a day. Default 300,000. */
  readonly timeoutMs?: number | undefined;
  /** `timeoutMs` in seconds. */
  readonly visibilityTimeout?: number | undefined;
  /** Least delay of every message in seconds. Default 0. */
  readonly delaySeconds?: number | undefined;
  /** At most `max` deliveries begin within `perMs` milliseconds in one engine. Default: no limit. */
  readonly rateLimit?: { readonly max: number; readonly perMs: number } | undefined;
}

/** What a queue trigger may say beside its topic. */
export interface QueueOptions extends Conditional<unknown> {
  /** Validates the message; a violation is a dead letter at once. */
  readonly input?: Schema | undefined;
  readonly config?: QueueConfig | undefined;
}

/** Starts the handler for each message of a topic. */
export interface QueueTrigger extends QueueOptions {
  readonly type: 'queue';
  readonly topic: string | Topic;
}

/** What a cron trigger may say beside its expression. */
export interface CronOptions extends Conditional<CronInput> {
  /** IANA name. Default UTC. */
  readonly timezone?: string | undefined;
  /** What becomes of ticks that nobody ran. Default `latest`. */
  readonly missed?: 'skip' | 'latest' | 'all' | undefined;
  /** How old a tick may be to be caught up, in milliseconds. Default 3,600,000; none with `missed: 'all'`. */
  readonly catchUpWindowMs?: number | undefined;
  /** A tick while the last run still goes on. Default `skip`. */
  readonly overlap?: 'skip' | 'queue' | 'allow' | undefined;
  /** Time limit of a run in milliseconds, 100 to a day. Default 300,000. */
  readonly timeoutMs?: number | undefined;
}

/** Starts the handler at the times of an expression. */
export interface CronTrigger extends CronOptions {
  readonly type: 'cron';
  /** 5 fields, 6 with seconds, 7 with seconds and year, or `@daily` and its like. */
  readonly expression: string;
}

/** Which changes of the state are meant; what is absent may be anything. */
export interface StateOptions extends Conditional<StateChange> {
  readonly group?: string | undefined;
  readonly key?: string | undefined;
  /** Only keys that begin so; not together with `key`. */
  readonly prefix?: string | undefined;
}

/** Starts the handler when a key was created, updated or deleted. */
export interface StateTrigger extends StateOptions {
  readonly type: 'state';
}

/** Which changes of a stream are meant; what is absent may be anything. */
export interface StreamOptions extends Conditional<StreamChange> {
  readonly groupId?: string | undefined;
  readonly id?: string | undefined;
  /** Default: all three. */
  readonly events?: readonly ('create' | 'update' | 'delete')[] | undefined;
}

/** Starts the handler when an item of a stream was created, updated or deleted. */
export interface StreamTrigger extends StreamOptions {
  readonly type: 'stream';
  readonly streamName: string;
}

/**
 * Trigger kinds by name. A plugin that brings a kind adds it:
 * `declare module 'treadle' { interface TriggerKinds { 'acme.mqtt': MqttTrigger } }`.
 */
export interface TriggerKinds {
  http: HttpTrigger;
  queue: QueueTrigger;
  cron: CronTrigger;
  state: StateTrigger;
  stream: StreamTrigger;
}

declare const OTHER: unique symbol;

/** A trigger of a kind that TypeScript does not know; made by `trigger()`, so that a misspelt kind is still an error. */
export interface OtherTrigger {
  readonly type: string;
  /** Never there; tells the types apart. */
  readonly [OTHER]: true;
}

/** A trigger of any kind that is known. */
export type Trigger = TriggerKinds[keyof TriggerKinds];
