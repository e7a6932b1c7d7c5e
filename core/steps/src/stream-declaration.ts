import type { OutputOf, Schema } from './schema.js';

/** What a client of a stream asks to join: a group, or one item of it. */
export interface StreamSubscription {
  /** Chosen by the client. */
  readonly subscriptionId?: string | undefined;
  readonly streamName: string;
  readonly groupId: string;
  /** Absent for the whole group. */
  readonly id?: string | undefined;
}

/**
 * Declares a stream, in a file `*.stream.ts`: `export const config = { … } satisfies StreamConfig`. `Auth` is what
 * `authenticate` gave back. The functions are methods, so that they may annotate their parameters more closely.
 */
export interface StreamConfig<Auth = unknown> {
  /** Unique in the application; handlers reach it by `ctx.streams.<name>`. */
  readonly name: string;
  readonly description?: string | undefined;
  /** Every item must fit it: enforced on `set` and `update`. */
  readonly schema?: Schema | undefined;
  /** Decides on each join; only `true` lets the client in. A throw refuses it. */
  canAccess?(subscription: StreamSubscription, auth: Auth | undefined): boolean | Promise<boolean>;
  /** Runs when a client has joined. */
  onJoin?(subscription: StreamSubscription, auth: Auth | undefined): unknown;
  /** Runs when a client has left or is gone. */
  onLeave?(subscription: StreamSubscription, auth: Auth | undefined): unknown;
}

/**
 * Type of a stream's items, from its schema; `unknown` without one. `declare module 'treadle' { interface Streams {
 * board: StreamItem<typeof config> } }` types `ctx.streams.board`.
 */
export type StreamItem<C extends StreamConfig> = C extends { readonly schema: infer S extends Schema } ? OutputOf<S> : unknown;

/** The request by which a client connects to streams, as `authenticate` sees it. */
export interface AuthRequest {
  /** Lower-case name to value; repeated ones are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Last value of each name. */
  readonly query: Readonly<Record<string, string>>;
  /** Path and query. */
  readonly url: string;
  /** Address of the client. */
  readonly ip: string;
}

/**
 * Exported as `authenticate` by the one `*.stream-auth.ts` of an application. What it gives back, as JSON, is `auth` of the
 * streams' functions; `null`, `undefined` or a throw refuses the client with 401.
 */
export type Authenticate<Auth = unknown> = (request: AuthRequest) => Auth | null | undefined | Promise<Auth | null | undefined>;

/** The other form of a `*.stream-auth.ts`: `export const config = { authenticate }`. */
export interface StreamAuthConfig<Auth = unknown> {
  readonly authenticate: Authenticate<Auth>;
}
