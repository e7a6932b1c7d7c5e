/** Path to a member: `'a.b.0'` or `['a', 'b', 0]`. */
export type StatePath = string | readonly (string | number)[];

/** One change of `update`. All or none of a call are applied. */
export type UpdateOp =
  | { readonly type: 'set'; readonly path?: StatePath; readonly value: unknown }
  | { readonly type: 'merge'; readonly path?: StatePath; readonly value: Readonly<Record<string, unknown>> }
  | { readonly type: 'increment' | 'decrement'; readonly path?: StatePath; readonly by?: number }
  | { readonly type: 'append'; readonly path?: StatePath; readonly value: unknown }
  | { readonly type: 'remove'; readonly path?: StatePath };

/** A value with the number of its last change. */
export interface StateEntry<T = unknown> {
  readonly key: string;
  readonly value: T;
  readonly revision: number;
}

/** Which page of a listing is wanted. */
export interface ListOptions {
  /** Only names that begin so. */
  readonly prefix?: string | undefined;
  /** 1 to 1,000. Default 100. */
  readonly limit?: number | undefined;
  /** From the previous page. */
  readonly cursor?: string | undefined;
}

/** Key-value store, organised by group and key. Each call is durable and visible when it resolves. */
export interface State {
  get<T = unknown>(group: string, key: string): Promise<T | null>;
  /** Resolves to the stored value. `ttlMs`: milliseconds until it disappears. */
  set<T>(group: string, key: string, value: T, options?: { readonly ttlMs?: number }): Promise<T>;
  delete(group: string, key: string): Promise<void>;
  /** Atomic per key under any concurrency. */
  update<T = unknown>(group: string, key: string, ops: readonly UpdateOp[]): Promise<{ value: T; revision: number }>;
  list<T = unknown>(group: string, options?: ListOptions): Promise<{ items: StateEntry<T>[]; cursor?: string }>;
  listGroups(options?: ListOptions): Promise<{ items: string[]; cursor?: string }>;
  /** Resolves to how many keys there were. */
  clear(group: string): Promise<number>;
  getEntry<T = unknown>(group: string, key: string): Promise<StateEntry<T> | null>;
  /** @throws OperationError when the revision is not the current one any more. */
  compareAndSet<T>(group: string, key: string, revision: number, value: T): Promise<{ value: T; revision: number }>;
}

/**
 * Items by stream name. `treadle generate types` fills it:
 * `declare module 'treadle' { interface Streams { board: { status: string } } }`.
 */
export interface Streams {}

/** `ctx.streams.<name>`. */
export interface StreamClient<T = unknown> {
  get(groupId: string, id: string): Promise<T | null>;
  set(groupId: string, id: string, item: T): Promise<T>;
  delete(groupId: string, id: string): Promise<void>;
  update(groupId: string, id: string, ops: readonly UpdateOp[]): Promise<{ value: T; revision: number }>;
  list(groupId: string): Promise<T[]>;
  listGroups(options?: ListOptions): Promise<{ items: string[]; cursor?: string }>;
  /** An event that is not stored. */
  send(channel: { readonly groupId: string; readonly id?: string }, event: { readonly type: string; readonly data: unknown }): Promise<void>;
}

/** `ctx.streams`: a client for each stream by its name. */
export type StreamClients =
  { readonly [Name in keyof Streams]: StreamClient<Streams[Name]> } & { readonly [name: string]: StreamClient };
