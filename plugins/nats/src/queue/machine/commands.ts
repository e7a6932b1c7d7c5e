import type {
  DeadLetterReason, DeadLetterSelection, DeliveryProgress, QueueExpiry, StoredSubscription, SubscriptionChange, SubscriptionKey, TransferMark, TransferSide,
} from '@treadle/api';
import type { BodyPlaces, BodyRef } from './delivery.js';

/** A new message. Moments are the store's. */
export interface WireMessage extends BodyPlaces {
  readonly id: string;
  readonly topic: string;
  readonly to?: string | undefined;
  readonly enqueuedAt: number;
  readonly dueAt?: number | undefined;
  readonly dedupeKey?: string | undefined;
  readonly groupId?: string | undefined;
}

/** Which claim of which delivery. */
export interface WireClaim extends SubscriptionKey {
  readonly id: number;
  readonly epoch: string;
}

/** The end of a claim. */
export type WireSettlement =
  | { readonly action: 'done'; readonly claim: WireClaim }
  | { readonly action: 'return'; readonly claim: WireClaim; readonly progress: DeliveryProgress; readonly dueAt?: number | undefined }
  | { readonly action: 'dead'; readonly claim: WireClaim; readonly progress: DeliveryProgress; readonly reason: DeadLetterReason; readonly at: number };

export interface ClaimCommand {
  readonly op: 'claim';
  readonly requests: readonly (SubscriptionKey & { readonly max: number; readonly total?: number | undefined })[];
  readonly leaseMs: number;
}

export interface CommitCommand {
  readonly op: 'commit';
  readonly settle: WireSettlement;
  readonly enqueue: readonly WireMessage[];
  readonly max: number;
}

export interface RedriveCommand {
  readonly op: 'redrive';
  readonly selection: DeadLetterSelection;
  readonly step?: string | undefined;
  /** Place of the data among the bodies of the entry. */
  readonly data?: number | undefined;
  readonly limit: number;
  readonly now: number;
}

/** A row of another store, in the words of this one. */
export type ImportedRow =
  | { readonly kind: 'subscription'; readonly stored: StoredSubscription; readonly retired: boolean }
  | (SubscriptionKey & BodyPlaces & { readonly kind: 'delivery'; readonly enqueuedAt: number; readonly dueAt: number; readonly groupId?: string | undefined; readonly progress: DeliveryProgress })
  | (SubscriptionKey & BodyPlaces & { readonly kind: 'letter'; readonly enqueuedAt: number; readonly groupId?: string | undefined; readonly progress: DeliveryProgress; readonly reason: DeadLetterReason; readonly deadAt: number })
  | { readonly kind: 'key'; readonly scope: string; readonly id: string; readonly until: number };

/** Rows of a copy. They count when the last ones of a call have come, together with the mark. */
export interface ImportCommand {
  readonly op: 'import';
  readonly isFirst: boolean;
  readonly rows: readonly ImportedRow[];
  readonly mark?: TransferMark | undefined;
}

/** What an engine wants done; every engine does it, in the order of the log. */
export type Command =
  /** A sign of life; what is due, and what has ended, is found. */
  | { readonly op: 'look' }
  | { readonly op: 'enqueue'; readonly messages: readonly WireMessage[]; readonly max: number }
  | ClaimCommand
  | { readonly op: 'settle'; readonly settlements: readonly WireSettlement[] }
  | CommitCommand
  | { readonly op: 'renew'; readonly claims: readonly WireClaim[]; readonly leaseMs: number }
  /** Of claims that nobody knows of. */
  | { readonly op: 'release'; readonly claims: readonly WireClaim[] }
  | { readonly op: 'subscriptions'; readonly changes: readonly SubscriptionChange[] }
  | { readonly op: 'purge'; readonly key: SubscriptionKey }
  | RedriveCommand
  | { readonly op: 'discard'; readonly selection: DeadLetterSelection; readonly limit: number }
  | { readonly op: 'expire'; readonly expiry: QueueExpiry }
  /** Ends a member of which nothing has come since its entry `seen`. */
  | { readonly op: 'bury'; readonly member: string; readonly seen: number }
  | { readonly op: 'leave' }
  | ImportCommand
  | { readonly op: 'mark'; readonly side: TransferSide; readonly mark: TransferMark }
  /** These messages of the log are gone. */
  | { readonly op: 'removed'; readonly seqs: readonly number[] };

/** What engines write into the log, one message after another. */
export interface Entry {
  readonly member: string;
  /** Of the member's entries. */
  readonly number: number;
  /** The last entry that the member had seen. */
  readonly seen: number;
  /** The member is new; it wants these subscriptions. */
  readonly joins?: readonly SubscriptionKey[] | undefined;
  /** The member is new, and a copy, which has the queue for itself. */
  readonly copies?: true | undefined;
  /** It brings bodies, or a piece of the commands, for the entry of this number, which comes later. */
  readonly part?: true | undefined;
  /** So many bodies came in parts before. */
  readonly parts?: number | undefined;
  /** Some of the commands as text. */
  readonly piece?: string | undefined;
  /** The commands came in so many pieces before; there are none here. */
  readonly pieces?: number | undefined;
  readonly commands: readonly Command[];
}

/** An entry as it lies in the log. */
export interface LogEntry extends Entry {
  readonly seq: number;
  /** When the server stored it; milliseconds since the epoch. */
  readonly at: number;
  readonly bodies: readonly BodyRef[];
}
