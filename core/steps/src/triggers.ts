import type { StepContext } from './context.js';
import type { CronInput, HttpRequest, StateChange, StreamChange } from './input.js';
import type { Schema } from './schema.js';
import type { Topic } from './topic.js';

/** Methods that an http trigger may have. HEAD and OPTIONS are answered by the engine. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';

/** Declared as a method: whoever annotates its parameters more closely than the kind does may do so. */
interface Written<Input> {
  condition(input: Input, ctx: StepContext): boolean | Promise<boolean>;
  middleware(request: HttpRequest, ctx: StepContext, next: () => Promise<unknown>): unknown;
}

/** `(input, ctx) => …`: only `true` runs the handler. The body or data is `unknown` unless the parameter is annotated. */
export type Condition<Input = unknown> = Written<Input>['condition'];

/** `(req, ctx, next) => result`, around the handler, after validation and before `condition`. */
export type Middleware = Written<unknown>['middleware'];

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
  readonly exposedHeaders?: readonly string[] | undefined;
  readonly credentials?: boolean | undefined;
  readonly maxAgeSeconds?: number | undefined;
}

export interface HttpOptions extends Conditional<HttpRequest> {
  /** Validates the body; its output type is the handler's `body`. */
  readonly bodySchema?: Schema | undefined;
  /** Status code to schema of the response body. */
  readonly responseSchema?: Readonly<Record<number, Schema>> | undefined;
  /** Query values are strings unless this schema asks for something else. */
  readonly querySchema?: Schema | undefined;
  readonly headersSchema?: Schema | undefined;
  readonly middleware?: Middleware | readonly Middleware[] | undefined;
  /** Largest body in bytes. Default: the engine's (1 MiB). */
  readonly bodyLimit?: number | undefined;
  /** Time limit of the handler in milliseconds. Default: the engine's (30,000). */
  readonly timeoutMs?: number | undefined;
  readonly cors?: CorsOptions | undefined;
  /** Hand the bytes of the body to the handler as `rawBody`. */
  readonly rawBody?: boolean | undefined;
  /** What happens when a result does not fit `responseSchema`. Default: the engine's (`enforce`). */
  readonly responseValidation?: 'enforce' | 'warn' | 'off' | undefined;
}

export interface HttpTrigger extends HttpOptions {
  readonly type: 'http';
  readonly method: HttpMethod;
  /** Segments that start with `:` are path parameters; a final `*rest` takes the rest. */
  readonly path: string;
}

export interface QueueBackoff {
  readonly type?: 'exponential' | 'fixed' | undefined;
  readonly delayMs?: number | undefined;
  readonly factor?: number | undefined;
  readonly maxMs?: number | undefined;
  /** Part of the delay that is random, 0 to 1. */
  readonly jitter?: number | undefined;
}

export interface QueueConfig {
  readonly type?: 'standard' | 'fifo' | undefined;
  readonly maxAttempts?: number | undefined;
  /** `maxAttempts` - 1. */
  readonly maxRetries?: number | undefined;
  readonly backoff?: QueueBackoff | undefined;
  readonly backoffType?: 'exponential' | 'fixed' | undefined;
  readonly backoffDelayMs?: number | undefined;
  /** Running deliveries of this Step in one engine. */
  readonly concurrency?: number | undefined;
  readonly timeoutMs?: number | undefined;
  /** `timeoutMs` in seconds. */
  readonly visibilityTimeout?: number | undefined;
  readonly delaySeconds?: number | undefined;
  readonly rateLimit?: { readonly max: number; readonly perMs: number } | undefined;
}

export interface QueueOptions extends Conditional<unknown> {
  /** Validates the message; a violation is a dead letter at once. */
  readonly input?: Schema | undefined;
  readonly config?: QueueConfig | undefined;
}

export interface QueueTrigger extends QueueOptions {
  readonly type: 'queue';
  readonly topic: string | Topic;
}

export interface CronOptions extends Conditional<CronInput> {
  /** IANA name. Default UTC. */
  readonly timezone?: string | undefined;
  /** What becomes of ticks that nobody ran. Default `latest`. */
  readonly missed?: 'skip' | 'latest' | 'all' | undefined;
  readonly catchUpWindowMs?: number | undefined;
  /** A tick while the last run still goes on. Default `skip`. */
  readonly overlap?: 'skip' | 'queue' | 'allow' | undefined;
  readonly timeoutMs?: number | undefined;
}

export interface CronTrigger extends CronOptions {
  readonly type: 'cron';
  /** 5 fields, 6 with seconds, or `@daily` and its like. */
  readonly expression: string;
}

export interface StateOptions extends Conditional<StateChange> {
  readonly group?: string | undefined;
  readonly key?: string | undefined;
  readonly prefix?: string | undefined;
}

export interface StateTrigger extends StateOptions {
  readonly type: 'state';
}

export interface StreamOptions extends Conditional<StreamChange> {
  readonly groupId?: string | undefined;
  readonly id?: string | undefined;
  readonly events?: readonly ('create' | 'update' | 'delete')[] | undefined;
}

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

export type Trigger = TriggerKinds[keyof TriggerKinds];
