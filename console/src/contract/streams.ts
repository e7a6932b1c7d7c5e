import type { IsoTime, JsonValue, Page } from './common.js';

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

/** `GET /streams/:stream/groups/:group` */
export interface StreamGroupPage extends Page<StreamItem> {
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
