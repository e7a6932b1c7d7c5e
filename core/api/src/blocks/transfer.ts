import type { ModuleContext } from '../lifecycle.js';

/** A stored row as plain data; a member that is absent has no value. JSON is kept as its text. Moments are milliseconds since the epoch. */
export type TransferRow = Readonly<Record<string, string | number | boolean | undefined>>;

/** Rows of one kind that an adapter keeps. */
export interface TransferKind {
  /** One of the names in the table of its slot, see `STATE_ROWS` and the others. */
  readonly name: string;
  /** What this adapter changes or loses of such rows, as a sentence for people. */
  readonly note?: string;
  /** Their number may differ from that of another adapter. Default: false. */
  readonly uncounted?: boolean;
}

/** Which end of a copy a store is. */
export type TransferSide = 'from' | 'to';

/** How far a copy has come. */
export interface TransferMark {
  /** The copier's own; opaque. */
  readonly text: string;
  /** A store that something is copied to is not opened by an engine before. */
  readonly complete: boolean;
}

/** Rows of a kind, page by page. */
export interface TransferPage {
  readonly rows: readonly TransferRow[];
  /** Pass it on for the next page; absent on the last one. */
  readonly cursor?: string;
}

/** Which rows are wanted. */
export interface TransferPageOptions {
  /** Most rows, 1 to 1,000; fewer where they are large. */
  readonly limit: number;
  /** Of the page before, also of an earlier opening. */
  readonly after?: string | undefined;
}

/** What the rows of one call are, and what is noted of the copy in the same commit. */
export interface TransferImport {
  readonly kind: string;
  readonly rows: readonly TransferRow[];
  readonly mark: TransferMark;
}

/**
 * What an adapter keeps, opened to be copied: nothing expires, is claimed or swept meanwhile, and no engine uses the store. A promise that resolves
 * means durable under the adapter's declaration.
 */
export interface StoreTransfer {
  /** Names the store and what is in it; for people, and the same whenever it is opened. */
  readonly store: string;
  /** In the order in which they are imported. */
  readonly kinds: readonly TransferKind[];
  count(kind: string): Promise<number>;
  exportRows(kind: string, page: TransferPageOptions): Promise<TransferPage>;
  /**
   * Adds rows of a kind and sets the mark of the side `to`, all or nothing: a copy that is gone on with brings no row twice. Rows come in the order of
   * the kinds, those of a kind as `exportRows` gives them. What only orders rows may be numbered anew.
   * @throws an `OperationError` that names a row which cannot be kept
   */
  importRows(rows: TransferImport): Promise<void>;
  /** Every row is there: puts the store in order for an engine and sets the mark of the side `to`, all or nothing. */
  finish(mark: TransferMark): Promise<void>;
  mark(side: TransferSide): Promise<TransferMark | undefined>;
  setMark(side: TransferSide, mark: TransferMark): Promise<void>;
}

/** What an adapter is given to open its store for a copy; the copier closes what is `shared`. */
export type TransferContext = Pick<ModuleContext, 'clock' | 'log' | 'turn' | 'shared'>;

/**
 * The part of an adapter that lets `treadle store copy` move what it keeps to another adapter of the slot. An engine that opens the store
 * refuses it while a copy to it is not complete, and removes the mark of the side `from`: from then on no copy, half or complete, is one of what the store has.
 */
export interface TransferableAdapter {
  /**
   * Called instead of `init`, on an adapter that is never initialised.
   * @throws {STORE_LOCKED} or {STORE_IN_USE} when an engine uses the store
   */
  openTransfer?(context: TransferContext): Promise<StoreTransfer>;
}

/**
 * Rows of the slot `state`. `entry`: `text` is absent once the key is deleted; `dueAt` is when it expires, or when its revision is forgotten. `floor`: no key of
 * the group that was forgotten had a higher revision. `change`: one that waits for its triggers, `order` rises.
 */
export const STATE_ROWS = {
  entry: ['group', 'key', 'text', 'revision', 'dueAt'],
  floor: ['group', 'revision'],
  change: ['order', 'id', 'group', 'key', 'oldText', 'newText', 'revision', 'origin'],
} as const;

/**
 * Rows of the slot `queue`. A subscription of the Step `''` holds what lies unrouted in its topic. `delivery`: `order` is unique in the subscription and rises. `letter`:
 * a dead letter, `order` is unique and rises. `key`: a dedupe key of a topic or, with the scope `step`, of a Step's trigger; `until` it is known.
 */
export const QUEUE_ROWS = {
  subscription: ['step', 'topic', 'application', 'fifo', 'delayMs', 'paused', 'settings', 'retired'],
  delivery: [
    'step', 'topic', 'order', 'messageId', 'kind', 'data', 'headers', 'traceparent', 'hops', 'enqueuedAt', 'dueAt', 'groupId', 'attempts', 'deaths', 'history',
  ],
  letter: [
    'order', 'step', 'topic', 'reason', 'deadAt', 'messageId', 'kind', 'data', 'headers', 'traceparent', 'enqueuedAt', 'groupId', 'attempts', 'deaths', 'history',
  ],
  key: ['scope', 'name', 'key', 'messageId', 'until'],
} as const;

/**
 * Rows of the slot `stream`. Positions are not among them: a copy begins a new epoch. `group`: no deleted item of it had a revision above `floor`. `item`: those
 * of a group come in the order of their creation, and `order` rises. `floor`: no item of the groups that were forgotten had a higher revision; at most one row.
 */
export const STREAM_ROWS = {
  group: ['stream', 'groupId', 'floor', 'usedAt'],
  item: ['stream', 'groupId', 'id', 'order', 'text', 'revision'],
  floor: ['revision'],
  change: ['order', 'id', 'stream', 'groupId', 'itemId', 'type', 'text', 'origin'],
} as const;

/** Rows of the slot `cron`. `run`: `order` rises with the claims. `span`: ticks from `first` to `last`, whole seconds apart, that ran and have no record any more. */
export const CRON_ROWS = {
  schedule: ['step', 'trigger', 'since', 'paused', 'pausedUntil', 'lastTick'],
  run: ['order', 'id', 'step', 'trigger', 'scheduledAt', 'firedAt', 'attempt', 'manual', 'missed', 'status', 'durationMs', 'traceId', 'error'],
  span: ['step', 'trigger', 'first', 'last'],
} as const;

/** The rows of every slot that can be copied, by slot and kind, with their members. */
export const TRANSFER_ROWS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  state: STATE_ROWS, queue: QUEUE_ROWS, stream: STREAM_ROWS, cron: CRON_ROWS,
};
