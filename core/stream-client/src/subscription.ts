import type { ErrorMessage, StreamMessage, StreamSignal, StreamTarget } from './wire.js';

/** An item of a group. `data` of an object has its `id` as a member. */
export interface StreamItem<T> {
  readonly id: string;
  readonly data: T;
}

/**
 * `connecting`: not known yet, or as it was when the connection broke; `live`: up to date; `unauthorized`: refused, asked
 * again with the next connection; `failed`: the server cannot serve it; `closed`.
 */
export type SubscriptionStatus = 'connecting' | 'live' | 'unauthorized' | 'failed' | 'closed';

/** What a subscription shows; a new object whenever something changes. */
export interface StreamView<T> {
  /** In the order of their creation. */
  readonly items: readonly StreamItem<T>[];
  readonly status: SubscriptionStatus;
  /** Why it failed. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** How a subscription reaches the server. */
export interface SubscriptionLink {
  send(message: object): void;
  /** Joins again after a pause. */
  retry(subscription: StreamSubscription): void;
  closed(subscription: StreamSubscription): void;
}

type Listener<A> = (argument: A) => void;

/** The server cannot decide now, or does not know the stream yet. */
const PASSING: ReadonlySet<string> = new Set(['unavailable', 'unknown_stream']);

/** A group, or one item of it, kept up to date. */
export class StreamSubscription<T = unknown> {
  private current: StreamView<T> = { items: [], status: 'connecting' };
  private position: { readonly epoch: string; readonly seq: number } | undefined;
  private readonly viewers = new Set<Listener<StreamView<T>>>();
  private readonly watchers = new Set<(signal: StreamSignal, id: string | undefined) => void>();

  constructor(readonly target: StreamTarget, readonly subscriptionId: string, private readonly link: SubscriptionLink) {}

  /** Items and status as they are now. The same object until something changes. */
  get view(): StreamView<T> {
    return this.current;
  }

  get items(): readonly StreamItem<T>[] {
    return this.current.items;
  }

  get status(): SubscriptionStatus {
    return this.current.status;
  }

  /** Calls `listener` whenever `view` changes, until the result is called. */
  onChange(listener: Listener<StreamView<T>>): () => void {
    return added(this.viewers, listener);
  }

  /** Calls `listener` for each event that is sent to the group or item, until the result is called. */
  onEvent(listener: (signal: StreamSignal, id: string | undefined) => void): () => void {
    return added(this.watchers, listener);
  }

  /** Resolves when it is live. Rejects when it is refused, fails or is closed before. */
  async ready(): Promise<void> {
    if (this.settled()) return;
    await new Promise<void>((resolve, reject) => {
      const leave = this.onChange(() => {
        try {
          if (!this.settled()) return;
          resolve();
        } catch (error) {
          reject(error as Error);
        }
        leave();
      });
    });
  }

  /** Ends it. Idempotent. */
  close(): void {
    if (this.status === 'closed') return;
    this.link.send({ type: 'leave', data: { subscriptionId: this.subscriptionId } });
    this.link.closed(this as StreamSubscription);
    this.show({ items: this.items, status: 'closed' });
  }

  /** There is a connection: asks for what it missed, or for everything. For the client. */
  join(): void {
    const { target, subscriptionId, position } = this;
    const from = position ? { epoch: position.epoch, lastSeq: position.seq } : {};
    this.link.send({ type: 'join', data: { subscriptionId, ...target, ...from } });
    if (position) this.show({ items: this.items, status: 'live' });
  }

  /** The connection broke. For the client. */
  disconnected(): void {
    if (this.status === 'live' || this.status === 'unauthorized') this.show({ items: this.items, status: 'connecting' });
  }

  /** The server will not have it. For the client. */
  refused({ code, message }: ErrorMessage): void {
    if (!PASSING.has(code)) {
      this.show({ items: this.items, status: 'failed', error: { code, message } });
      return;
    }
    this.show({ items: this.items, status: 'connecting', error: { code, message } });
    this.link.retry(this as StreamSubscription);
  }

  /** A message of the server about it. For the client. */
  take(message: StreamMessage): void {
    if (this.status === 'closed') return;
    const { event, epoch, seq } = message;
    if (event.type === 'unauthorized') {
      this.position = undefined;
      this.show({ items: [], status: 'unauthorized' });
    } else if (event.type === 'sync') {
      this.position = { epoch, seq };
      this.show({ items: itemsOf<T>(event, this.target.id), status: 'live' });
    } else if (this.position?.epoch !== epoch) this.startOver();
    else if (seq > this.position.seq) {
      this.position = { epoch, seq };
      this.apply(message);
    }
  }

  private apply({ event, id }: StreamMessage): void {
    if (event.type === 'event') {
      for (const watcher of [...this.watchers]) watcher(event.event, id);
    } else if (id !== undefined && (event.type === 'create' || event.type === 'update' || event.type === 'delete')) {
      const data = event.type === 'delete' ? undefined : { id, data: event.data as T };
      this.show({ items: changed(this.items, id, data), status: 'live' });
    }
  }

  /** What came before belongs to another order. */
  private startOver(): void {
    this.position = undefined;
    this.link.send({ type: 'leave', data: { subscriptionId: this.subscriptionId } });
    this.join();
  }

  private settled(): boolean {
    const { status, error } = this.current;
    if (status === 'live') return true;
    if (status === 'connecting') return false;
    throw new Error(`the subscription to ${this.target.streamName}/${this.target.groupId} is ${status}${error ? `: ${error.message}` : ''}`);
  }

  private show(view: StreamView<T>): void {
    this.current = view;
    for (const viewer of [...this.viewers]) viewer(view);
  }
}

function added<L>(listeners: Set<L>, listener: L): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function itemsOf<T>({ data, ids }: { readonly data: unknown; readonly ids: readonly string[] }, id: string | undefined): readonly StreamItem<T>[] {
  if (id !== undefined) return ids.length === 0 ? [] : [{ id, data: data as T }];
  return ids.map((one, index) => ({ id: one, data: (data as readonly T[])[index] as T }));
}

function changed<T>(items: readonly StreamItem<T>[], id: string, item: StreamItem<T> | undefined): readonly StreamItem<T>[] {
  const at = items.findIndex((one) => one.id === id);
  if (!item) return at < 0 ? items : [...items.slice(0, at), ...items.slice(at + 1)];
  return at < 0 ? [...items, item] : [...items.slice(0, at), item, ...items.slice(at + 1)];
}
