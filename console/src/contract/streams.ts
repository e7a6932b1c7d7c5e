import type { JsonValue, Page } from './common.js';

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
