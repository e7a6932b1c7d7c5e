import type { IsoTime, JsonValue, Page } from './common.js';

/** `GET /state/groups`: names. */
export type StateGroups = Page<string>;

/** One of `GET /state/groups/:group/keys`' items, and the answer for one key, with `ETag: "<revision>"`. */
export interface StateItem {
  readonly key: string;
  readonly value: JsonValue;
  readonly revision: number;
}

/** `GET /state/groups/:group/search?q=`: keys whose name or value fits, in the order of their names. */
export interface StateFound extends Page<StateItem> {
  /** Keys that this answer looked at, at most 20,000; with a `cursor` there are more behind them. */
  readonly examined: number;
}

/** `GET /state/groups/:group/keys/:key/expiry` */
export interface StateExpiry {
  /** False: the store cannot tell. */
  readonly known: boolean;
  /** Absent: it stays. */
  readonly expiresAt?: IsoTime;
}

/** Body of `PUT …/expiry`: only over that revision, else 409 `conflict`. It is a write of the same value. */
export interface StateExpiryWrite {
  /** From now on; null: it stays. */
  readonly ttlMs: number | null;
  /** Here or in the header `If-Match`. */
  readonly revision?: number;
}

/** Keys that begin alike. */
export interface StateBranch {
  /** Up to and with a separator; of a key that stands alone all of it. */
  readonly prefix: string;
  readonly keys: number;
  /** The only key, where there is one. */
  readonly key?: string;
}

/** `GET /state/groups/:group/tree?prefix=`: what keys go on with, in the order of their names. */
export interface StateTree extends Page<StateBranch> {
  /** Keys that this answer looked at, at most 20,000; with a `cursor` there are more behind them, of the last branch, too. */
  readonly examined: number;
}

/** Body of `PUT`. With `revision`, or the header `If-Match: "<revision>"`, only over that one: else 409 `conflict`. 0: only when there is none. */
export interface StateWrite {
  readonly value: JsonValue;
  /** Not with a revision. */
  readonly ttlMs?: number;
  readonly revision?: number;
}

/**
 * One of `GET /state/groups/:group/keys/:key/history`'s items, the newest first. The engine keeps the last 20 writes of a key, 20,000 writes or
 * 32 MiB in all, until it ends; in production it notes none before the first question for a history but what `DELETE` removed.
 */
export interface StateChange {
  /** For `POST …/restore {change}`. */
  readonly id: number;
  readonly at: IsoTime;
  readonly group: string;
  readonly key: string;
  /** Absent: there was none. */
  readonly before?: { readonly value: JsonValue; readonly revision: number };
  /** Absent: deleted. */
  readonly after?: { readonly value: JsonValue; readonly revision: number };
  /** The Step that wrote it; absent for the API and modules. */
  readonly step?: string;
  readonly traceId?: string;
}

/** What `DELETE` of a key answers. */
export interface StateDeleted {
  readonly deleted: true;
  /** For `POST …/restore {change}`, while the history has it. */
  readonly change?: number;
}

/** `GET …/history` */
export interface StateHistory {
  readonly items: readonly StateChange[];
  /** Since when writes are noted. */
  readonly since: IsoTime;
}

/** Body of `POST …/restore`. */
export interface StateRestore {
  /** Id of the write before which the value is meant. */
  readonly change: number;
  /** Only over this one; absent: over what is there. */
  readonly revision?: number;
}
