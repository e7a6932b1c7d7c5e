import type { IsoTime, JsonValue, Page } from './common.js';

/** `GET /state/groups`: names. */
export type StateGroups = Page<string>;

/** One of `GET /state/groups/:group/keys`' items, and the answer for one key, with `ETag: "<revision>"`. */
export interface StateItem {
  readonly key: string;
  readonly value: JsonValue;
  readonly revision: number;
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
 * 32 MiB in all, until it ends; in production it notes none before the first question for a history.
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
