import {
  Adapter, type ClaimRequest, type Clock, type DeadLetterPage, type DeadLetterSelection, DEDUPE_MS, type DeliveryClaim, type EnqueueOutcome, type ModuleContext,
  type NewMessage, type PeekedDelivery, type QueueAdapter, type QueueCapabilities, type QueueDelivery, type QueueExpired, type QueueExpiry, QueueSlot,
  type Redrive, type Settlement, type StoredSubscription, type SubscriptionChange, type SubscriptionKey, type SubscriptionStatistics, type Timer,
  type Unsubscribe,
} from '@treadle/api';
import { MapDeadLetters } from './map-dead-letters.js';
import { type MapDelivery, type MapSubscription } from './map-subscription.js';
import { MapSubscriptions } from './map-subscriptions.js';

/**
 * A queue adapter in memory that does everything the interface promises, for the tests of those who use one. Everything
 * happens within the call; nothing is quick about long queues.
 */
@Adapter<Record<never, never>, QueueCapabilities>({
  id: 'testing::queue::adapters::MapQueue', slot: QueueSlot, summary: 'A queue in memory, for tests.', stability: 'development', since: '0.1.0',
  config: { type: 'object', additionalProperties: false, properties: {} },
  capabilities: {
    durable: false, ordering: 'per_key', delayed: true, dedupe: true, multiEngine: false, takeOverMs: 0, counts: 'exact', commit: [], maxMessageBytes: 1_000_000,
  },
  variants: { plain: {} },
})
export class MapQueue implements QueueAdapter {
  protected readonly kept = new MapSubscriptions();
  protected readonly dead = new MapDeadLetters();
  protected readonly used = new Map<string, { readonly id: string; readonly until: number }>();
  private readonly listeners = new Set<(key: SubscriptionKey) => void>();
  private readonly timers = new Set<Timer>();
  private clock: Clock | undefined;
  private lastId = 0;
  private lastEpoch = 0;

  async init({ clock }: Pick<ModuleContext, 'clock'>): Promise<void> {
    this.clock = clock;
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
    return Promise.resolve();
  }

  async subscriptions(): Promise<readonly StoredSubscription[]> {
    return Promise.resolve(this.kept.all().filter(({ retired }) => !retired).map(({ stored }) => stored));
  }

  async changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    for (const change of changes) if (change.action === 'retire') this.retire(change.key);
    const put = changes.flatMap((change) => (change.action === 'put' ? [change.subscription] : []));
    this.kept.put(put);
    for (const change of changes) if (change.action === 'pause') this.pause(change.key, change.paused);
    for (const change of changes) if (change.action !== 'retire') this.tellAll(this.kept.get(change.action === 'put' ? change.subscription : change.key));
    return Promise.resolve();
  }

  async enqueueMany(batches: readonly (readonly NewMessage[])[], { maxWaiting }: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    return Promise.resolve(batches.map((batch) => this.enqueue(batch, maxWaiting)));
  }

  async claimMany(requests: readonly ClaimRequest[], _leaseMs: number): Promise<readonly QueueDelivery[]> {
    return Promise.resolve(requests.flatMap((request) => this.kept.get(request)?.claim(request.max, this.now(), () => this.nextEpoch()) ?? []));
  }

  async settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return Promise.resolve(settlements.map((settlement) => this.settle(settlement)));
  }

  async renewMany(claims: readonly DeliveryClaim[], _leaseMs: number): Promise<readonly boolean[]> {
    return Promise.resolve(claims.map((claim) => this.claimed(claim) !== undefined));
  }

  onDue(listener: (key: SubscriptionKey) => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  async statistics(): Promise<readonly SubscriptionStatistics[]> {
    return Promise.resolve(this.kept.all().map((one) => one.statistics(this.now(), this.dead.count(one.stored))));
  }

  async unrouted(): Promise<readonly { readonly topic: string; readonly count: number; readonly oldest: number }[]> {
    return Promise.resolve(this.kept.unrouted());
  }

  async peek(key: SubscriptionKey, limit: number, after = 0): Promise<readonly PeekedDelivery[]> {
    return Promise.resolve(this.kept.get(key)?.peek(limit, this.now(), after) ?? []);
  }

  async purge(key: SubscriptionKey): Promise<number> {
    const removed = key.step === '' ? this.kept.purgeUnrouted(key.topic) : this.kept.get(key)?.takeWaiting().length;
    return Promise.resolve(removed ?? 0);
  }

  async deadLetterCounts(): Promise<readonly (SubscriptionKey & { readonly count: number })[]> {
    return Promise.resolve(this.dead.counts());
  }

  async deadLetters(selection: DeadLetterSelection, page: { readonly limit: number; readonly cursor?: string | undefined }): Promise<DeadLetterPage> {
    return Promise.resolve().then(() => this.dead.page(selection, page));
  }

  async redrive({ selection, step, data, limit, now }: Redrive): Promise<number> {
    const targetOf = (letter: SubscriptionKey): MapSubscription | undefined => {
      const target = this.kept.get({ step: step ?? letter.step, topic: letter.topic });
      return target?.retired ? undefined : target;
    };
    const letters = this.dead.select(selection).filter((letter) => letter.deadAt <= now && targetOf(letter)).slice(0, limit);
    this.dead.remove(letters);
    for (const letter of letters) {
      const target = targetOf(letter) as MapSubscription;
      const { messageId: id, ...message } = letter;
      this.tell(target, target.add(this.nextId(), { ...message, id, hops: 0, data: data ?? letter.data }));
    }
    return Promise.resolve(letters.length);
  }

  async discard(selection: DeadLetterSelection, limit: number): Promise<number> {
    const letters = this.dead.select(selection).slice(0, limit);
    this.dead.remove(letters);
    return Promise.resolve(letters.length);
  }

  async expire(expiry: QueueExpiry): Promise<QueueExpired> {
    return Promise.resolve({ dead: this.dead.expire(expiry), unrouted: this.kept.expireUnrouted(expiry.unroutedBefore) });
  }

  protected now(): number {
    return this.clock?.now() ?? Date.now();
  }

  protected nextEpoch(): string {
    this.lastEpoch += 1;
    return `1-${this.lastEpoch.toString(36)}`;
  }

  protected enqueue(batch: readonly NewMessage[], maxWaiting: number): EnqueueOutcome {
    const fresh = new Map<string, NewMessage>();
    const ids = batch.map((message) => this.firstId(message, fresh));
    const written = batch.filter((message, index) => message.id === ids[index]);
    const full = this.fullAfter(written, maxWaiting);
    if (full) return { ok: false, full };
    for (const message of written) this.store(message);
    return { ok: true, ids };
  }

  /** The claim's delivery, when the claim holds. */
  protected claimed(claim: DeliveryClaim): MapDelivery | undefined {
    const delivery = this.kept.get(claim)?.deliveries.get(claim.deliveryId);
    return delivery?.epoch !== undefined && delivery.epoch === claim.epoch ? delivery : undefined;
  }

  protected settle(settlement: Settlement): boolean {
    const { claim } = settlement;
    const subscription = this.kept.get(claim);
    const delivery = this.claimed(claim);
    if (!subscription || !delivery) return false;
    if (settlement.action === 'return' && !subscription.retired) this.giveBack(subscription, delivery, settlement);
    else {
      subscription.deliveries.delete(claim.deliveryId);
      if (settlement.action === 'dead') this.dead.add(delivery.message, { key: claim, ...settlement });
      if (settlement.action === 'return') {
        this.dead.add(delivery.message, { key: claim, reason: 'subscription_retired', at: this.now(), progress: settlement.progress });
      }
    }
    this.kept.forget(subscription);
    if (subscription.stored.fifo) this.tell(subscription, 0);
    return true;
  }

  /** Tells the listeners when something that is due at `dueAt` can be claimed. */
  protected tell({ stored: { step, topic } }: MapSubscription, dueAt: number): void {
    const tell = (): void => {
      for (const listener of this.listeners) listener({ step, topic });
    };
    const wait = dueAt - this.now();
    if (wait <= 0 || !this.clock) {
      tell();
      return;
    }
    const timer = this.clock.after(wait, () => {
      this.timers.delete(timer);
      tell();
    });
    this.timers.add(timer);
  }

  private giveBack(subscription: MapSubscription, delivery: MapDelivery, { progress, dueAt = 0 }: Settlement & { action: 'return' }): void {
    Object.assign(delivery, { progress, dueAt, epoch: undefined });
    this.tell(subscription, dueAt);
  }

  private store(message: NewMessage): void {
    const id = this.nextId();
    const { topic, to, dueAt = 0, enqueuedAt } = message;
    const subscriptions = this.kept.of(message);
    const kept = subscriptions.length > 0 || to === undefined;
    if (kept && message.dedupeKey !== undefined) this.used.set(scopeOf(message), { id: message.id, until: enqueuedAt + DEDUPE_MS });
    if (subscriptions.length === 0 && to === undefined) this.kept.keepUnrouted(topic, { id, message, dueAt });
    for (const subscription of subscriptions) this.tell(subscription, subscription.add(id, message, dueAt));
  }

  /** Its own id, or that of the message that used its key before. */
  private firstId(message: NewMessage, fresh: Map<string, NewMessage>): string {
    if (message.dedupeKey === undefined || this.sizesFor(message).length === 0) return message.id;
    const scope = scopeOf(message);
    const before = this.used.get(scope);
    if (before && before.until > message.enqueuedAt) return before.id;
    const first = fresh.get(scope) ?? message;
    fresh.set(scope, first);
    return first.id;
  }

  private fullAfter(messages: readonly NewMessage[], maxWaiting: number): SubscriptionKey | undefined {
    const added = new Map<string, number>();
    for (const message of messages) {
      for (const { step, topic, count } of this.sizesFor(message)) {
        const key = JSON.stringify([step, topic]);
        added.set(key, (added.get(key) ?? 0) + 1);
        if (count + (added.get(key) ?? 0) > maxWaiting) return { step, topic };
      }
    }
    return undefined;
  }

  private sizesFor(message: NewMessage): readonly (SubscriptionKey & { readonly count: number })[] {
    const subscriptions = this.kept.of(message);
    if (subscriptions.length > 0) return subscriptions.map(({ stored: { step, topic }, deliveries }) => ({ step, topic, count: deliveries.size }));
    return message.to === undefined ? [{ step: '', topic: message.topic, count: this.kept.unroutedCount(message.topic) }] : [];
  }

  private pause(key: SubscriptionKey, paused: boolean): void {
    const subscription = this.kept.get(key);
    if (subscription?.retired === false) subscription.stored = { ...subscription.stored, paused };
  }

  protected retire(key: SubscriptionKey): void {
    const subscription = this.kept.get(key);
    if (!subscription) return;
    subscription.retired = true;
    for (const { message, progress } of subscription.takeWaiting()) {
      this.dead.add(message, { key, reason: 'subscription_retired', at: this.now(), progress });
    }
    this.kept.forget(subscription);
  }

  private tellAll(subscription: MapSubscription | undefined): void {
    for (const { dueAt } of subscription?.deliveries.values() ?? []) this.tell(subscription as MapSubscription, dueAt);
  }

  private nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }
}

/** A started queue in memory on `clock`. */
export async function mapQueue(clock: Clock): Promise<MapQueue> {
  const queue = new MapQueue();
  await queue.init({ clock });
  return queue;
}

function scopeOf({ topic, to, dedupeKey }: NewMessage): string {
  return JSON.stringify(to === undefined ? ['topic', topic, dedupeKey] : ['step', to, dedupeKey]);
}
