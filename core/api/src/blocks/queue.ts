import type { Lifecycle } from '../lifecycle.js';
import { slot } from '../slot.js';
import type { Unsubscribe } from '../unsubscribe.js';
import type { CommitOutcome, DeliveryCommit } from './delivery-commit.js';
import type {
  AdoptedDelivery, ClaimRequest, DeadLetterPage, DeadLetterSelection, DeliveryClaim, EnqueueOutcome, NewMessage, PeekedDelivery, QueueDelivery,
  QueueExpired, QueueExpiry, Redrive, Settlement, StoredSubscription, SubscriptionChange, SubscriptionKey,
  SubscriptionStatistics,
} from './queue-messages.js';
import type { TransferableAdapter } from './transfer.js';

/**
 * Stores messages for subscriptions; what becomes of them is the module's to say. A promise that resolves means durable
 * under the adapter's declaration; one that rejects with an `OperationError` `StorageFull` means that nothing was written,
 * any other rejection that it is not known. Calls made in one turn should share one write.
 *
 * Restart: claims of an engine that is gone are void, and what it had claimed can be claimed again with its stored progress.
 *
 * A rejected `settleMany` is repeated with the same settlements until it resolves: an epoch is used up by the settlement that
 * was carried out, so that a repetition answers false and changes nothing. A rejected `claimMany` may have claimed deliveries that nobody
 * knows of: they are never renewed, so an adapter that reaches its store over a network ends every claim with its lease, and frees these as
 * soon as the store answers again.
 *
 * Several engines (`multiEngine`): every promise holds for all of them together. The store decides who is alive and what time it
 * is: leases, delays and ages go by its time, and an adapter translates moments between it and `ModuleContext.clock` on the way in and out.
 * An engine that was held up longer than it counts as alive has lost its claims and must not get them back. Who claims
 * leaves others their share of what waits.
 */
export interface QueueAdapter extends Lifecycle, TransferableAdapter {
  subscriptions(): Promise<readonly StoredSubscription[]>;
  changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void>;
  /** Called when another engine may have changed subscriptions; then they are read again. Absent from an adapter for one engine. */
  onSubscriptions?(listener: () => void): Unsubscribe;
  /**
   * Each inner list is stored as a whole or not at all: one delivery per subscription of the topic, or one `unrouted`
   * record without any. A `to` that is not subscribed is dropped. Order of delivery ids = order of messages: of the calls,
   * also of those that are under way together, and in each of them.
   */
  enqueueMany(batches: readonly (readonly NewMessage[])[], limits: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]>;
  /**
   * Takes deliveries that are due, in the order of their ids; of a fifo group only the head, and none while one of the
   * group is claimed or returned and not yet due; of a paused subscription none. Where the adapter is for several engines a claim
   * is void `leaseMs` after it was made or last renewed; else it lasts until it is settled.
   */
  claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]>;
  /** False for a claim that is void; then nothing was written for it. The same claim twice in one call: true, then false. */
  settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]>;
  /**
   * Ends claims and does what goes with each, each commit as a whole or not at all, in the order of the list.
   * For an adapter that declares `commit`. What it writes to state and streams is to everybody what a write of their adapters is: it leaves changes,
   * and watchers are told. A rejection is repeated as one of `settleMany` is: a claim that was carried out is then `void`.
   */
  commitMany?(commits: readonly DeliveryCommit[], limits: { readonly maxWaiting: number }): Promise<readonly CommitOutcome[]>;
  /** Keeps claims alive; false for those that are void. */
  renewMany(claims: readonly DeliveryClaim[], leaseMs: number): Promise<readonly boolean[]>;
  /**
   * Called whenever a subscription has deliveries that can be claimed and may not have had any before, whichever engine brought
   * them; perhaps too often, but never before they are due. For what this engine enqueued: before that promise resolves.
   */
  onDue(listener: (key: SubscriptionKey) => void): Unsubscribe;
  statistics(): Promise<readonly SubscriptionStatistics[]>;
  unrouted(): Promise<readonly { readonly topic: string; readonly count: number; readonly oldest: number }[]>;
  /**
   * In order, from the head, or those behind the delivery with the id `after`, whether or not it is there still; perhaps fewer than `limit` (1 to 1,000), and none only at the
   * end. An adapter that lacks `pages` gives none for `after`.
   */
  peek(key: SubscriptionKey, limit: number, after?: number): Promise<readonly PeekedDelivery[]>;
  /** Removes what waits (not what is claimed) and says how many. With an empty Step: what lies unrouted in the topic. */
  purge(key: SubscriptionKey): Promise<number>;
  deadLetters(selection: DeadLetterSelection, page: { readonly limit: number; readonly cursor?: string | undefined }): Promise<DeadLetterPage>;
  /** How many there are of each subscription that has some, also where the subscription is gone. */
  deadLetterCounts(): Promise<readonly (SubscriptionKey & { readonly count: number })[]>;
  /** Puts letters back as deliveries with the same message id, traceparent, a fresh progress and no hops, at the end of the order. Says how many. */
  redrive(redrive: Redrive): Promise<number>;
  discard(selection: DeadLetterSelection, limit: number): Promise<number>;
  expire(expiry: QueueExpiry): Promise<QueueExpired>;
  /**
   * Takes in deliveries that another store held, at the end of the order, all or nothing, whatever `maxWaiting` is; for an adapter that declares `adopts`. One
   * whose subscription is retired or not there becomes a dead letter with reason `subscription_retired`. False for one that has been adopted
   * before, also when it has ended since, for 24 hours: nothing was written for it. So a rejected call can be repeated, and so can one whose caller died.
   */
  adoptMany?(deliveries: readonly AdoptedDelivery[]): Promise<readonly boolean[]>;
}

/**
 * A promise of `QueueAdapter` that an adapter does not keep. `places`: in a subscription that is not fifo what comes back, or was not due, may get another place in
 * the order, and with it another `deliveryId`; one that becomes fifo has the order of what is enqueued from then on. `pages`: `peek` shows the head alone. `ages`: `oldest` is that of what the
 * engine knows of, and may be missing. `settlements`: a crash of the store's server may bring back what was settled just before it.
 */
export type QueueLack = 'places' | 'pages' | 'ages' | 'settlements';

/** What can be part of the commit of a delivery. */
export type CommitPart = 'settle' | 'enqueue' | 'state' | 'stream';

/** What an adapter of the slot `queue` can do. */
export interface QueueCapabilities {
  /** Survives the end of the engine. */
  readonly durable: boolean;
  /** Strict order per group, or none. */
  readonly ordering: 'none' | 'per_key';
  readonly delayed: boolean;
  readonly dedupe: boolean;
  /** Several engines may share the store. */
  readonly multiEngine: boolean;
  /** Milliseconds after which what an engine had claimed that was killed can be claimed by another one, at the latest; 0: when the store is opened again. */
  readonly takeOverMs: number;
  /** How exactly `maxWaiting` and statistics count: `about` may be off by what other engines do at the same moment. */
  readonly counts: 'exact' | 'about';
  /**
   * What can be written in one commit with an acknowledgement; empty without `commitMany`. `state` and `stream`: of adapters of the same
   * `AdapterSpec.store`.
   */
  readonly commit: readonly CommitPart[];
  /** Has `adoptMany`, so that an adapter of another technology can leave to it what that cannot keep. Default: false. */
  readonly adopts?: boolean;
  /** Default: none. */
  readonly lacks?: readonly QueueLack[];
  /** Largest `data`. */
  readonly maxMessageBytes: number;
}

/** Where messages are kept. */
export const QueueSlot = slot<QueueAdapter, QueueCapabilities>('queue');
