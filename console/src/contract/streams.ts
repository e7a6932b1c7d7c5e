import type { EpochMs, IsoTime, JsonValue, Page } from './common.js';

/** One of `GET /streams`' items. */
export interface StreamInfo {
  readonly name: string;
  readonly declaredIn: string;
  readonly subscriptions: number;
}

export interface StreamItem {
  readonly id: string;
  readonly value: JsonValue;
  readonly revision: number;
}

/** `GET /streams/:stream/groups/:group?q=` */
export interface StreamGroupPage extends Page<StreamItem> {
  /** With `q`: items that this answer looked at, at most 20,000; with a `cursor` there are more behind them. */
  readonly examined?: number;
  readonly epoch: string;
  readonly seq: number;
}

/** Event of `GET /streams/watch` and of the live topic `stream`. */
export interface StreamEvent {
  readonly streamName: string;
  readonly groupId: string;
  readonly epoch: string;
  readonly seq: number;
  readonly id?: string;
  readonly event:
    | { readonly type: 'create' | 'update' | 'delete'; readonly data: JsonValue }
    | { readonly type: 'event'; readonly event: { readonly type: string; readonly data: JsonValue } };
  readonly timestamp: number;
}

/** `GET /streams/connections?limit=`: clients, the latest first. */
export interface StreamConnections {
  readonly items: readonly StreamConnection[];
  /** All of them; `items` has at most 1,000. */
  readonly count: number;
}

export interface StreamConnection {
  readonly id: string;
  readonly address: string;
  readonly since: IsoTime;
  /** Somebody said who this is. */
  readonly authenticated: boolean;
  /** Bytes that wait for it. */
  readonly waitingBytes: number;
  readonly subscriptions: readonly { readonly stream: string; readonly group: string; readonly id?: string }[];
}

/**
 * Event of the live topic `join`: what happens to a client that connects to this engine's streams and joins one, in its order. `at` is in milliseconds since the
 * epoch. It stays until the subscription is ended, or `refused` or `closed` has come.
 */
export type JoinEvent =
  /** `auth` of the upgrade is not known yet. `origin` is absent: such a client is no web page. */
  | { readonly type: 'connecting'; readonly at: EpochMs; readonly address: string; readonly origin?: string }
  /** The connection was not accepted: 401 by `authenticate`, 403 by `Origin` or `Host`, 503 as nobody can say; 0: nobody answered. */
  | { readonly type: 'refused'; readonly at: EpochMs; readonly status: number; readonly code: string; readonly detail: string }
  | { readonly type: 'connected'; readonly at: EpochMs }
  | { readonly type: 'sent'; readonly at: EpochMs; readonly message: JsonValue }
  /** `items`: how many a `sync` has; of more than 100 the message has the first 100. */
  | { readonly type: 'received'; readonly at: EpochMs; readonly bytes: number; readonly message: JsonValue; readonly items?: number }
  | { readonly type: 'closed'; readonly at: EpochMs; readonly code: number; readonly reason: string };

/** Body of `PUT` of an item. With `revision`, or the header `If-Match: "<revision>"`, only over that one: else 409 `conflict`. 0: only when there is none. */
export interface StreamWrite {
  readonly value: JsonValue;
  readonly revision?: number;
}
