import type { StateDecision, StreamDecision, StreamGroup } from './decisions.js';
import type { NewMessage, Settlement, SubscriptionKey } from './queue-messages.js';

/** What all writes of a commit have. Plain data, so that a store can do it in one round trip. */
interface CommitWrite {
  /** The revision that the entry must have; 0: there must be none. Absent: any. */
  readonly ifRevision?: number | undefined;
  /** The change is kept for triggers; `origin`: opaque text to keep with it. Not for `keep`, nor for a delete of what is not there. */
  readonly change?: { readonly origin: string } | undefined;
}

/** A key of state; `keep` only looks whether the revision still holds. */
export interface StateCommitWrite extends CommitWrite {
  readonly slot: 'state';
  readonly group: string;
  readonly key: string;
  readonly decision: StateDecision;
}

/** An item of a stream; `keep` only looks whether the revision still holds. */
export interface StreamCommitWrite extends CommitWrite {
  readonly slot: 'stream';
  readonly group: StreamGroup;
  readonly id: string;
  readonly decision: StreamDecision;
}

/** A write that is committed with the end of a delivery. No two of a commit are of the same key or item. */
export type StoreWrite = StateCommitWrite | StreamCommitWrite;

/** The end of a claim, and what is to happen with it or not at all. */
export interface DeliveryCommit {
  readonly settle: Settlement;
  readonly enqueue: readonly NewMessage[];
  readonly writes: readonly StoreWrite[];
}

/**
 * What became of a commit. `ids`: as those of `EnqueueOutcome`. Otherwise nothing of it was written: `void`: the claim does not hold any more;
 * `full`: as `EnqueueOutcome` says it; `conflict`: the entry of the write `at` has another revision, or is being written right now.
 */
export type CommitOutcome =
  | { readonly ok: true; readonly ids: readonly string[] }
  | { readonly ok: false; readonly why: 'void' }
  | { readonly ok: false; readonly why: 'full'; readonly full: SubscriptionKey }
  | { readonly ok: false; readonly why: 'conflict'; readonly at: number };
