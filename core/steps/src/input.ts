import type { Readable } from 'node:stream';
import type { StepConfig } from './config.js';
import type { Flat, OutputOf } from './schema.js';
import type { TopicOutput } from './topic.js';
import type { OtherTrigger, Trigger } from './triggers.js';

/** Parameters of a path literal: `/tickets/:id` gives `{ id: string }`. */
export type PathParams<P extends string> =
  string extends P ? Record<string, string> : Flat<{ [K in ParamNames<P>]: string }>;

type ParamNames<P extends string> =
  P extends `${infer Head}/${infer Tail}` ? ParamName<Head> | ParamNames<Tail> : ParamName<P>;
type ParamName<Segment extends string> =
  Segment extends `:${infer Name}` ? Name : Segment extends `*${infer Name}` ? Name : never;

/** A file of a multipart body. Large ones lie in a temporary file until the handler has finished. */
export interface UploadedFile {
  /** Name of the form field. */
  readonly field: string;
  /** As the client named it; never a path to trust. */
  readonly filename: string;
  readonly contentType: string | undefined;
  /** Bytes. */
  readonly size: number;
  buffer(): Promise<Buffer>;
  text(): Promise<string>;
  stream(): Readable;
}

/** First argument of a handler that an http trigger started. */
export interface HttpRequest<Body = unknown, Params = Record<string, string>, Query = Record<string, string>,
  Headers = Record<string, string>> {
  /** Parsed and validated. */
  readonly body: Body;
  /** Percent-decoded. */
  readonly pathParams: Params;
  /** Last value of each name, or what `querySchema` made of them. */
  readonly query: Query;
  /** The same map as `query`. */
  readonly queryParams: Query;
  /** All values of each name. */
  readonly queryAll: Readonly<Record<string, readonly string[]>>;
  /** Lower-case name to value; repeated ones are joined. */
  readonly headers: Headers;
  /** Lower-case name to all values. */
  readonly headersAll: Readonly<Record<string, readonly string[]>>;
  /** Cookies by name, decoded. Sign those that clients must not change, with `sign` and `unsign`. */
  readonly cookies: Readonly<Record<string, string>>;
  /** Address of the client: the other end of the connection, or whom the engine's `trust_proxy` allows proxies to name. Empty when it is not known. */
  readonly ip: string;
  readonly method: string;
  /** Path of the request, without query. */
  readonly path: string;
  /** Bytes of the body; only with `rawBody: true`. */
  readonly rawBody?: Buffer;
  /** Files of a multipart body. */
  readonly files?: readonly UploadedFile[];
  /** This object itself, for handlers that read `input.request.body`. */
  readonly request: this;
}

/** First argument of a handler that a cron trigger started. Times are ISO 8601 UTC. */
export interface CronInput {
  /** The tick. */
  readonly scheduledAt: string;
  /** When it was run. */
  readonly firedAt: string;
  readonly previousScheduledAt: string | null;
  /** True for a tick that was caught up. */
  readonly missed: boolean;
  readonly timezone: string;
}

/** First argument of a handler that a state trigger started. */
export interface StateChange {
  readonly type: string;
  readonly group: string;
  readonly key: string;
  readonly oldValue: unknown;
  readonly newValue: unknown;
}

/** First argument of a handler that a stream trigger started. */
export interface StreamChange {
  readonly streamName: string;
  readonly groupId: string;
  readonly id: string;
  readonly event: { readonly type: string; readonly data: unknown };
}

/** `unknown` where a trigger has no schema of that name. */
type Validated<T, Key extends string, Otherwise> =
  T extends { readonly [K in Key]: infer S } ? (S extends undefined ? Otherwise : OutputOf<S>) : Otherwise;

type HttpInputOf<T> = T extends { readonly path: infer P extends string }
  ? HttpRequest<Validated<T, 'bodySchema', unknown>, PathParams<P>, Validated<T, 'querySchema', Record<string, string>>,
      Validated<T, 'headersSchema', Record<string, string>>>
  : HttpRequest;

type QueueInputOf<T> = T extends { readonly topic: infer Name } ? Validated<T, 'input', TopicOutput<Name>> : unknown;

/** First argument for one trigger. */
export type TriggerInput<T> = T extends { readonly type: infer Kind }
  ? Kind extends 'http' ? HttpInputOf<T>
  : Kind extends 'queue' ? QueueInputOf<T>
  : Kind extends 'cron' ? CronInput
  : Kind extends 'state' ? StateChange
  : Kind extends 'stream' ? StreamChange
  : unknown
  : unknown;

/** The triggers of a config as a union. */
export type TriggersOf<C extends StepConfig> =
  StepConfig extends C ? Trigger | OtherTrigger
    : C extends { readonly triggers: readonly (infer T extends Trigger | OtherTrigger)[] } ? T : never;

/** Triggers of one kind. */
export type TriggerOfKind<C extends StepConfig, Kind> =
  TriggersOf<C> extends infer T ? (T extends { readonly type: Kind } ? T : never) : never;

/** First argument for the triggers of one kind. */
export type KindInput<C extends StepConfig, Kind> =
  TriggerOfKind<C, Kind> extends infer T ? (T extends unknown ? TriggerInput<T> : never) : never;

/** First argument of the handler: a union over all triggers of the config. */
export type StepInput<C extends StepConfig> =
  TriggersOf<C> extends infer T ? (T extends unknown ? TriggerInput<T> : never) : never;
