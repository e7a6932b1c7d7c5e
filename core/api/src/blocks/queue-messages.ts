import type { StepId } from '../step-record.js';

/** Identity of a subscription: a Step and a topic. `topic` is empty for what state and stream triggers deliver. */
export interface SubscriptionKey {
  readonly step: StepId;
  readonly topic: string;
}

/** A subscription as the store keeps it; messages gather in it while no worker is there. */
export interface StoredSubscription extends SubscriptionKey {
  /** Whose catalog named it. */
  readonly application: string;
  /**
   * Deliveries of one group are claimed one at a time, in order, one that is not due holding up those behind it; a delivery
   * without a group is in the group `''`.
   */
  readonly fifo: boolean;
  /** Least delay of every delivery, in milliseconds. */
  readonly delayMs: number;
  /** Nothing is to be claimed. Kept here so that it survives a restart. */
  readonly paused: boolean;
  /** The module's own, as JSON text; the adapter only keeps it. */
  readonly settings: string;
}

/** A subscription as an engine asks for it. Whether it is paused is nobody's but the operator's. */
export type DeclaredSubscription = Omit<StoredSubscription, 'paused'>;

/** What to do with stored subscriptions; a list of them is carried out as one: retirements, then what is put, then pauses. */
export type SubscriptionChange =
  /**
   * Creates or replaces it, keeping its deliveries and whether it is paused; a new one is not. All new ones of a topic in a list get
   * what lies `unrouted` for it. It is this engine's vote for the subscription as well: the vote lasts until this engine retires it or
   * ends. An adapter whose engine was taken for dead votes again by itself.
   */
  | { readonly action: 'put'; readonly subscription: DeclaredSubscription }
  /**
   * Takes this engine's vote back. While another engine votes for the subscription nothing else happens; the vote of one that has
   * ended counts for `afterMs` more, since it may come again at once. Otherwise the subscription gets nothing new from now on; what waits becomes dead letters with reason `subscription_retired`, and so does what
   * is claimed and comes back; then it is gone. One that is put again meanwhile counts as new.
   */
  | { readonly action: 'retire'; readonly key: SubscriptionKey; readonly afterMs: number }
  /** For all engines of the store. Does nothing where there is no such subscription. */
  | { readonly action: 'pause'; readonly key: SubscriptionKey; readonly paused: boolean };

/** A message on its way into the store. */
export interface NewMessage {
  /** Chosen by the module; unique; later ones sort higher. */
  readonly id: string;
  /** Empty with `to`. */
  readonly topic: string;
  /** Only for this Step's subscription without a topic: a delivery of a state or stream trigger. */
  readonly to?: StepId | undefined;
  /** What delivers it. `trigger`: a trigger of a plugin's kind; its topic names Step, kind and key, and only that Step subscribes to it. */
  readonly kind: 'queue' | 'state' | 'stream' | 'trigger';
  /** JSON text. */
  readonly data: string;
  /** JSON text of an object of strings; absent when there are none. */
  readonly headers?: string | undefined;
  /** W3C traceparent of the producer. */
  readonly traceparent: string;
  /** How many deliveries of state, stream and plugins' triggers caused each other up to this one; messages to topics only pass it on. */
  readonly hops: number;
  /** Milliseconds since the epoch. */
  readonly enqueuedAt: number;
  /** Not to be claimed before; milliseconds since the epoch. */
  readonly dueAt?: number | undefined;
  /** Unique per topic, or per `to`, for `DEDUPE_MS` after the first use. */
  readonly dedupeKey?: string | undefined;
  readonly groupId?: string | undefined;
}

/** How long a `dedupeKey` is known, from its first use: 24 hours, in milliseconds. */
export const DEDUPE_MS = 86_400_000;

/**
 * What became of one batch. `ids`: of each message in order; with a `dedupeKey` that was used before the first message's
 * id, and nothing was written for it. `full`: a subscription would have more than `maxWaiting` deliveries that are not
 * settled, and nothing of the batch was written; `step` is empty when it is what lies unrouted for the topic.
 */
export type EnqueueOutcome =
  | { readonly ok: true; readonly ids: readonly string[] }
  | { readonly ok: false; readonly full: SubscriptionKey };

/** Claim on a delivery. A settlement with another epoch is refused. */
export interface DeliveryClaim extends SubscriptionKey {
  /** Unique in the subscription for all time; lower ones were enqueued earlier. */
  readonly deliveryId: number;
  /** Of this claim; never used twice. */
  readonly epoch: string;
}

/** A message for one subscription, claimed. */
export interface QueueDelivery extends DeliveryClaim {
  readonly messageId: string;
  readonly kind: NewMessage['kind'];
  readonly data: string;
  readonly headers?: string | undefined;
  readonly traceparent: string;
  readonly hops: number;
  readonly enqueuedAt: number;
  readonly groupId?: string | undefined;
  readonly progress: DeliveryProgress;
}

/** A delivery that another store held. */
export interface AdoptedDelivery extends Omit<QueueDelivery, 'deliveryId' | 'epoch'> {
  /** Not to be claimed before; milliseconds since the epoch. */
  readonly dueAt?: number | undefined;
  /** It is to be a dead letter. */
  readonly dead?: { readonly reason: DeadLetterReason; readonly at: number } | undefined;
}

/** How far a delivery is; the module computes it, the adapter keeps it. */
export interface DeliveryProgress {
  /** Attempts that failed. */
  readonly attempts: number;
  /** Times that the worker process died over it. */
  readonly deaths: number;
  /** JSON text of the last errors; empty at first. */
  readonly history: string;
}

/** How a claim ends. */
export type Settlement =
  | { readonly action: 'done'; readonly claim: DeliveryClaim }
  /** Back to its place in the order, not to be claimed before `dueAt`; at once without it. A fifo group waits for it. */
  | { readonly action: 'return'; readonly claim: DeliveryClaim; readonly progress: DeliveryProgress; readonly dueAt?: number | undefined }
  /** Becomes a dead letter, in the same commit. */
  | { readonly action: 'dead'; readonly claim: DeliveryClaim; readonly progress: DeliveryProgress; readonly reason: DeadLetterReason; readonly at: number };

/** Why nobody will try a delivery again by itself. */
export type DeadLetterReason =
  | 'max_attempts' | 'non_retryable' | 'invalid_input' | 'crash_limit' | 'loop_limit' | 'subscription_retired';

/** What one subscription may be given. */
export interface ClaimRequest extends SubscriptionKey {
  /** Most deliveries. */
  readonly max: number;
  /** Most deliveries of the subscription that all engines of the store together have claimed at a time. Default: no limit. */
  readonly total?: number | undefined;
}

/** A delivery that nobody will try again by itself. */
export interface DeadLetter extends SubscriptionKey {
  /** Opaque, unique in the store. */
  readonly id: string;
  readonly reason: DeadLetterReason;
  /** Milliseconds since the epoch. */
  readonly deadAt: number;
  readonly messageId: string;
  readonly kind: NewMessage['kind'];
  readonly data: string;
  readonly headers?: string | undefined;
  readonly traceparent: string;
  readonly enqueuedAt: number;
  readonly groupId?: string | undefined;
  readonly progress: DeliveryProgress;
}

/** Which dead letters; all parts must hold. */
export interface DeadLetterSelection {
  readonly step?: StepId | undefined;
  readonly topic?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly reason?: DeadLetterReason | undefined;
}

/** Dead letters, page by page. */
export interface DeadLetterPage {
  /** Newest first. */
  readonly items: readonly DeadLetter[];
  readonly cursor?: string | undefined;
}

/** Where redriven letters go. */
export interface Redrive {
  readonly selection: DeadLetterSelection;
  /** Another Step of the topic; default: the Step of each letter. Letters whose subscription is not there stay. */
  readonly step?: StepId | undefined;
  /** Replaces the data, as JSON text. */
  readonly data?: string | undefined;
  /** Most letters of this call. */
  readonly limit: number;
  /** Letters that died later stay: those that a redrive with several calls has put back and that died again meanwhile. */
  readonly now: number;
}

/** Deliveries of one subscription by where they stand. */
export interface SubscriptionStatistics extends SubscriptionKey {
  /** Claimable now or as soon as their group is free. */
  readonly waiting: number;
  /** Not due yet and never tried. */
  readonly delayed: number;
  /** Failed, or died, at least once and waiting for the next attempt. */
  readonly retrying: number;
  /** Claimed. */
  readonly active: number;
  readonly dead: number;
  /** `enqueuedAt` of the first in the order that is not settled. */
  readonly oldest?: number | undefined;
}

/** A waiting delivery, seen without claiming it. */
export type PeekedDelivery = Omit<QueueDelivery, 'epoch'> & {
  /** Absent: due now. */
  readonly dueAt?: number | undefined;
  readonly active: boolean;
};

/** Ages (milliseconds since the epoch) and numbers beyond which things are given up. */
export interface QueueExpiry {
  /** Dead letters older than this. */
  readonly deadBefore: number;
  /** Dead letters per subscription that are kept, those with reason `subscription_retired` not counted; the oldest go first. */
  readonly maxDead: number;
  /** Unrouted messages older than this. */
  readonly unroutedBefore: number;
}

/** What an expiry removed. */
export interface QueueExpired {
  readonly dead: readonly (SubscriptionKey & { readonly count: number })[];
  readonly unrouted: readonly { readonly topic: string; readonly count: number }[];
}
