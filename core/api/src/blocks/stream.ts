import type { Json } from '../config-schema.js';
import type { Lifecycle } from '../lifecycle.js';
import { slot } from '../slot.js';
import type { Unsubscribe } from '../unsubscribe.js';
import { token } from '../token.js';
import type { StreamDecision, StreamGroup } from './decisions.js';
import type { Origin, SharedChanges } from './queue-port.js';
import type { StateEntry, StateGroupPage, StateListOptions, UpdateOperation } from './state.js';
import type { TransferableAdapter } from './transfer.js';

/** Place in a group's order. Positions of different epochs cannot be compared. */
export interface StreamPosition {
  readonly epoch: string;
  /** From 1, one more with each event of the group; 0 before the first. */
  readonly seq: number;
}

/** An item with its value and revision. */
export interface StreamItem extends StateEntry {
  readonly id: string;
}

/** What happened in a group. */
export interface StreamEvent extends StreamGroup, StreamPosition {
  /** Of the item; absent for an event sent to the whole group. */
  readonly id?: string | undefined;
  readonly event:
    | { readonly type: 'create' | 'update'; readonly data: Json }
    /** The item as it was. */
    | { readonly type: 'delete'; readonly data: Json }
    /** Sent by `send`; not stored. */
    | { readonly type: 'event'; readonly event: { readonly type: string; readonly data: Json } };
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
}

/** A write of one item that an adapter does as a whole; `next` as in `StateWrite`. */
export interface StreamWrite extends StreamGroup {
  readonly id: string;
  readonly next: (current: StateEntry | undefined) => StreamDecision;
  /** The change is kept for triggers, in the same commit as the item. `origin`: opaque text to keep with it. */
  readonly change?: ((kind: 'create' | 'update' | 'delete') => { readonly origin: string } | undefined) | undefined;
}

/** What a write found and what it left; undefined: no item. */
export interface StreamWriteResult {
  readonly before: StateEntry | undefined;
  readonly after: StateEntry | undefined;
}

/** A write that a stream trigger matches, until it has been handed to the queue. */
export interface PendingStreamChange extends StreamGroup {
  readonly id: string;
  readonly itemId: string;
  readonly type: 'create' | 'update' | 'delete';
  /** The new item; the old one of a delete. */
  readonly data: Json;
  /** JSON of `data`, from an adapter that stores text: it is taken instead. A large one is best read only when it is asked for. */
  readonly text?: string | undefined;
  /** About how many bytes it has, from an adapter that reads it when it is asked for. */
  readonly bytes?: number;
  readonly origin: string;
}

/**
 * Stores items and orders each group's events. Names, group ids and ids are any text and never touch each other. A
 * watcher is told of each event once, in the order of its group, before the write's promise resolves; of an item's event
 * only when it is durable. Values come back as fresh objects.
 *
 * Positions: `seq` has no gaps while one epoch lasts, but for a jump at a restart. A store that can keep epoch and seq over
 * a restart goes on with the epoch, at a seq that is at least the highest one given; one that cannot begins a new epoch.
 */
export interface StreamAdapter extends Lifecycle, TransferableAdapter {
  get(group: StreamGroup, id: string): Promise<StateEntry | undefined>;
  write(write: StreamWrite): Promise<StreamWriteResult>;
  /** Items in the order of their first creation, with the position up to which they contain the group's events. */
  snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }>;
  /** Groups of a stream that hold an item. */
  listGroups(stream: string, options: StateListOptions & { readonly limit: number }): Promise<StateGroupPage>;
  /** Tells watchers of an event that is not stored. */
  send(group: StreamGroup, event: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void>;
  watch(listener: (event: StreamEvent) => void): Unsubscribe;
  /** Present on an adapter for several engines. */
  readonly shared?: SharedStreams;
  /** Oldest first; with `after`, the id of one that is pending, only those behind it. An id that is not pending begins at the oldest. */
  pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]>;
  settleChanges(ids: readonly string[]): Promise<void>;
}

/** Is told that a group goes on in another epoch. */
export type EpochListener = (epoch: string) => void;

/**
 * Events of other engines on the same store. Those of this engine come to its watchers by themselves; those of others only of
 * groups that it follows, and in the group's one order. Their timestamps are those of the store, and rise with each event of a group.
 */
export interface SharedStreams {
  /** The store's time of day, as well as it is known, for what is told of a group as it is. Milliseconds since the epoch. Default: that of the engine. */
  now?(): number;
  /**
   * From when it resolves until the end of the use watchers are told of every event of the group, whichever engine wrote or sent it.
   * @param anew called when the group goes on in another epoch, before an event tells it: the store may have lost some of those that were told
   */
  follow(group: StreamGroup, anew?: EpochListener): Promise<Unsubscribe>;
  /**
   * The first events after a position, oldest first, ephemeral ones with them; undefined when some of them are not known any more, and for a position of
   * another epoch or one that the group has not come to.
   */
  eventsAfter(group: StreamGroup, position: StreamPosition, limit: number): Promise<readonly StreamEvent[] | undefined>;
  readonly changes: SharedChanges;
}

/** What an adapter of the slot `stream` can do. */
export interface StreamCapabilities {
  /** Items survive the end of the engine. */
  readonly durable: boolean;
  /** Epoch and seq survive it as well: after a clean stop, or always. */
  readonly resumes: 'never' | 'clean_stop' | 'always';
  /** Several engines may share the store. */
  readonly multiEngine: boolean;
  /** Largest item as JSON text, in bytes. */
  readonly maxItemBytes: number;
}

/** Where items and the order of their events are kept. */
export const StreamSlot = slot<StreamAdapter, StreamCapabilities>('stream');

/** Streams for other modules; the same operations as `ctx.streams.<name>`. */
export interface StreamPort {
  get(group: StreamGroup, id: string): Promise<Json>;
  set(group: StreamGroup, id: string, item: Json, origin?: Origin): Promise<Json>;
  delete(group: StreamGroup, id: string, origin?: Origin): Promise<void>;
  update(group: StreamGroup, id: string, operations: readonly UpdateOperation[], origin?: Origin): Promise<StateEntry>;
  list(group: StreamGroup): Promise<readonly Json[]>;
  listGroups(stream: string, options?: StateListOptions): Promise<StateGroupPage>;
  send(group: StreamGroup, event: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void>;
  /** Events of all streams, for the console. */
  watch(listener: (event: StreamEvent) => void): Unsubscribe;
}
export const StreamPort = token<StreamPort>('engine.StreamPort');
