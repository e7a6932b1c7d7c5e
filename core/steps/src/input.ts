import type { Readable } from 'node:stream';
import type { Flat } from './schema.js';

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
