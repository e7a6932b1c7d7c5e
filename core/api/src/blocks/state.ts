import type { Json } from '../config-schema.js';
import type { Lifecycle } from '../lifecycle.js';
import { slot } from '../slot.js';
import { token } from '../token.js';
import type { StateDecision } from './decisions.js';
import type { Origin, SharedChanges } from './queue-port.js';
import type { TransferableAdapter } from './transfer.js';

/** A stored value and how often it was written; the first write makes revision 1. */
export interface StateEntry {
  readonly value: Json;
  /** Grows with each write of the key; a key that was deleted and written again goes on counting upwards. */
  readonly revision: number;
}

/** How long an adapter keeps the revision of a deleted key for the key itself, 24 hours in milliseconds; afterwards its group keeps the highest. */
export const DELETED_REVISION_MS = 86_400_000;

/** A key with its value and revision. */
export interface StateItem extends StateEntry {
  readonly key: string;
}

/** Keys of a group, page by page. */
export interface StatePage {
  /** In ascending order of the keys' UTF-8 bytes. */
  readonly items: readonly StateItem[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
}

/** Names of groups that hold at least one key, in ascending order of their UTF-8 bytes. */
export interface StateGroupPage {
  readonly items: readonly string[];
  readonly cursor?: string;
}

/** Which page of a listing is wanted. */
export interface StateListOptions {
  /** Only names that begin so. */
  readonly prefix?: string;
  /** 1 to 1,000. Default: 100. */
  readonly limit?: number;
  /** Of the page before. */
  readonly cursor?: string;
}

/** One step of an atomic update. `path` is a dotted path or an array of keys; without it the whole value. */
export interface UpdateOperation {
  readonly type: 'set' | 'merge' | 'increment' | 'decrement' | 'append' | 'remove';
  readonly path?: string | readonly (string | number)[];
  /** For set, merge and append. */
  readonly value?: Json;
  /** For increment and decrement. Default: 1. */
  readonly by?: number;
}

/**
 * A write that an adapter does as a whole. `next` gets the entry as it is (undefined: missing or expired) and says what
 * becomes of it; it is pure and may run again. It never sees a value that another write is about to replace.
 */
export interface StateWrite {
  readonly group: string;
  readonly key: string;
  readonly next: (current: StateEntry | undefined) => StateDecision;
  /** What `next` decides whatever there is, so that a store behind a network needs one round trip. */
  readonly always?: StateDecision | undefined;
  /** The change is kept for triggers, in the same commit as the value. */
  readonly recordChange: boolean;
  /** Opaque text to keep with a recorded change. */
  readonly origin?: string | undefined;
}

/** Which of the keys that `clear` removes leave a change for triggers, each in the same commit as its removal. */
export interface ClearChanges {
  readonly wants: (key: string) => boolean;
  /** As that of a write. */
  readonly origin?: string | undefined;
}

/** What a write found and what it left; undefined: no entry. */
export interface StateWriteResult {
  readonly before: StateEntry | undefined;
  readonly after: StateEntry | undefined;
}

/** A write that a state trigger matches, until it has been handed to the queue. */
export interface PendingChange {
  readonly id: string;
  readonly group: string;
  readonly key: string;
  readonly oldValue: Json | undefined;
  readonly newValue: Json | undefined;
  /** JSON of the values, from an adapter that stores text: it is taken instead of them. Large ones are best read only when they are asked for. */
  readonly oldText?: string | undefined;
  readonly newText?: string | undefined;
  /** About how many bytes both have, from an adapter that reads them when they are asked for. */
  readonly bytes?: number;
  readonly revision: number;
  /** As the write gave it. */
  readonly origin?: string | undefined;
}

/**
 * Stores values; what may be stored, how updates are computed and who is told is the module's. Groups and keys are any
 * text and never touch each other; `__proto__` is a key like any other. Values come back as fresh objects.
 */
export interface StateAdapter extends Lifecycle, TransferableAdapter {
  get(group: string, key: string): Promise<StateEntry | undefined>;
  /** Resolves when durable under the adapter's promise. Writes of one key happen in the order of the calls. */
  write(write: StateWrite): Promise<StateWriteResult>;
  /** A page of large values may end early, with a cursor. */
  list(group: string, options: Required<Pick<StateListOptions, 'limit'>> & StateListOptions): Promise<StatePage>;
  listGroups(options: Required<Pick<StateListOptions, 'limit'>> & StateListOptions):
    Promise<StateGroupPage>;
  /** Removes every key of the group and says how many there were. */
  clear(group: string, changes?: ClearChanges): Promise<number>;
  /** Oldest first; with `after`, the id of one that is pending, only those behind it. An id that is not pending begins at the oldest. */
  pendingChanges(limit: number, after?: string): Promise<readonly PendingChange[]>;
  settleChanges(ids: readonly string[]): Promise<void>;
  /** When an entry expires, as writes gave it: milliseconds of the engine's clock. Undefined: it stays, or is not there. Present on an adapter that can tell. */
  expiryOf?(group: string, key: string): Promise<number | undefined>;
  /** Present on an adapter for several engines. */
  readonly shared?: SharedChanges;
}

/** What an adapter of the slot `state` can do. */
export interface StateCapabilities {
  /** Survives the end of the engine. */
  readonly durable: boolean;
  /** Who makes updates atomic: one engine's process, or the store for all engines. */
  readonly atomicUpdate: 'process' | 'store';
  readonly compareAndSet: boolean;
  readonly listing: boolean;
  readonly ttl: 'none' | 's' | 'ms';
  readonly multiEngine: boolean;
  readonly maxValueBytes: number;
}

/** Where state is kept. */
export const StateSlot = slot<StateAdapter, StateCapabilities>('state');

/** What `set` may be told beside the value. */
export interface StateSetOptions {
  /** Milliseconds, from 1, until the entry disappears. Default: it stays. */
  readonly ttlMs?: number | undefined;
  /** The trace that the write belongs to. Default: one of its own. */
  readonly origin?: Origin | undefined;
}

/** State for other modules; the same operations as `ctx.state`. Without an origin a write begins a trace of its own. */
export interface StatePort {
  get(group: string, key: string): Promise<Json>;
  getEntry(group: string, key: string): Promise<StateEntry | null>;
  set(group: string, key: string, value: Json, options?: StateSetOptions): Promise<Json>;
  delete(group: string, key: string, origin?: Origin): Promise<void>;
  update(group: string, key: string, operations: readonly UpdateOperation[], origin?: Origin): Promise<StateEntry>;
  compareAndSet(group: string, key: string, write: { readonly revision: number; readonly value: Json }, origin?: Origin): Promise<StateEntry>;
  list(group: string, options?: StateListOptions): Promise<StatePage>;
  listGroups(options?: StateListOptions): Promise<StateGroupPage>;
  clear(group: string, origin?: Origin): Promise<number>;
}
export const StatePort = token<StatePort>('engine.StatePort');
