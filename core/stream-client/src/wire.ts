/** What to follow: a group of a stream, or one item of it. */
export interface StreamTarget {
  readonly streamName: string;
  readonly groupId: string;
  readonly id?: string | undefined;
}

/** Sent by `send`; not stored. */
export interface StreamSignal<D = unknown> {
  readonly type: string;
  readonly data: D;
}

/** A message of the server about one subscription. */
export interface StreamMessage {
  readonly type: 'stream';
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly streamName: string;
  readonly groupId: string;
  readonly id?: string;
  readonly subscriptionId: string;
  readonly epoch: string;
  readonly seq: number;
  readonly event:
    | { readonly type: 'sync'; readonly data: unknown; readonly ids: readonly string[] }
    | { readonly type: 'create' | 'update' | 'delete'; readonly data: unknown }
    | { readonly type: 'event'; readonly event: StreamSignal }
    | { readonly type: 'unauthorized' };
}

/** A complaint of the server. */
export interface ErrorMessage {
  readonly type: 'error';
  readonly code: string;
  readonly message: string;
  readonly subscriptionId?: string;
}

/** A message of the server, or undefined for what this version does not know. */
export function parseMessage(data: unknown): StreamMessage | ErrorMessage | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const message = JSON.parse(data) as { type?: unknown } | null;
    return message?.type === 'stream' || message?.type === 'error' ? message as StreamMessage | ErrorMessage : undefined;
  } catch {
    // Not a server of streams; whoever looks at the subscription sees that it never becomes live.
    return undefined;
  }
}
