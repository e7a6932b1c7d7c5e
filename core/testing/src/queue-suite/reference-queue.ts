import type {
  DeadLetterReason, DeadLetterSelection, DeliveryProgress, NewMessage, QueueDelivery, QueueExpiry, Settlement, StoredSubscription, SubscriptionKey, SubscriptionStatistics,
} from '@treadle/api';
import { FRESH } from './queue-under-test.js';

/** A delivery of the model. */
export interface ModelDelivery {
  readonly of: SubscriptionKey;
  readonly message: NewMessage;
  dueAt: number;
  progress: DeliveryProgress;
  active: boolean;
}

/** A dead letter of the model. */
export interface ModelLetter {
  readonly of: SubscriptionKey;
  readonly message: NewMessage;
  readonly reason: DeadLetterReason;
  readonly at: number;
}

interface ModelSubscription {
  stored: StoredSubscription;
  retired: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const same = (a: SubscriptionKey, b: SubscriptionKey): boolean => a.step === b.step && a.topic === b.topic;

/** What a queue is, in as few words as possible: lists, gone through from the front. The adapters are compared with it. */
export class ReferenceQueue {
  now = 0;
  subscriptions: ModelSubscription[] = [];
  deliveries: ModelDelivery[] = [];
  unrouted: { readonly message: NewMessage }[] = [];
  letters: ModelLetter[] = [];
  private used = new Map<string, { readonly id: string; readonly until: number }>();

  live(): StoredSubscription[] {
    return this.subscriptions.filter(({ retired }) => !retired).map(({ stored }) => stored);
  }

  put(subscriptions: readonly StoredSubscription[]): void {
    const fresh = subscriptions.filter((stored) => !this.live().some((other) => same(stored, other)));
    for (const stored of subscriptions) {
      const known = this.subscriptions.find((one) => same(one.stored, stored));
      if (known) Object.assign(known, { stored, retired: false });
      else this.subscriptions.push({ stored, retired: false });
    }
    for (const stored of fresh) for (const { message } of this.unrouted.filter((one) => one.message.topic === stored.topic)) this.add(stored, message);
    this.unrouted = this.unrouted.filter(({ message }) => !fresh.some(({ topic }) => topic === message.topic));
  }

  retire(key: SubscriptionKey): void {
    const subscription = this.subscriptions.find(({ stored, retired }) => !retired && same(stored, key));
    if (!subscription) return;
    subscription.retired = true;
    for (const delivery of this.waitingOf(key)) this.bury(delivery, 'subscription_retired');
    this.deliveries = this.deliveries.filter((one) => !same(one.of, key) || one.active);
    this.forgetEmpty();
  }

  /** Ids, or subscriptions that would have too much. */
  enqueue(batch: readonly NewMessage[], maxWaiting: number): { readonly ids: readonly string[] } | { readonly full: readonly SubscriptionKey[] } {
    const keys = new Map<string, string>();
    const ids = batch.map((message) => this.firstId(message, keys));
    const written = batch.filter((message, index) => ids[index] === message.id);
    const targets = written.flatMap((message) => this.targetsOf(message));
    const full = targets.filter((key) => this.sizeOf(key) + targets.filter((other) => same(key, other)).length > maxWaiting);
    if (full.length > 0) return { full };
    for (const message of written) {
      if (message.dedupeKey !== undefined && this.targetsOf(message).length > 0) this.used.set(scopeOf(message), { id: message.id, until: message.enqueuedAt + DAY_MS });
      for (const key of this.targetsOf(message)) {
        const stored = this.live().find((one) => same(one, key));
        if (stored) this.add(stored, message);
        else this.unrouted.push({ message });
      }
    }
    return { ids };
  }

  claim(key: SubscriptionKey, max: number): ModelDelivery[] {
    const stored = this.live().find((one) => same(one, key));
    if (!stored || stored.paused) return [];
    const all = this.deliveries.filter((one) => same(one.of, key));
    const heads = stored.fifo ? all.filter((one, index) => all.findIndex((other) => groupOf(other) === groupOf(one)) === index) : all;
    const claimed = heads.filter(({ active, dueAt }) => !active && dueAt <= this.now).slice(0, max);
    for (const delivery of claimed) delivery.active = true;
    return claimed;
  }

  /** Those that an adapter has chosen which does not keep places: as many as there are, each of which may be claimed. */
  claimOf(key: SubscriptionKey, max: number, chosen: readonly Pick<QueueDelivery, 'messageId' | 'progress'>[]): ModelDelivery[] {
    const due = this.claim(key, Infinity);
    const claimed = chosen.flatMap(({ messageId, progress }) => {
      const at = due.findIndex(({ message, progress: known }) => message.id === messageId && JSON.stringify(known) === JSON.stringify(progress));
      return at < 0 ? [] : due.splice(at, 1);
    });
    // With fewer than there are the lists differ, and the comparison fails.
    const missing = due.slice(0, Math.max(0, max - claimed.length));
    for (const delivery of due) delivery.active = false;
    return [...claimed, ...missing];
  }

  settle(delivery: ModelDelivery, settlement: Settlement): void {
    delivery.active = false;
    const retired = this.subscriptions.find(({ stored }) => same(stored, delivery.of))?.retired ?? false;
    if (settlement.action === 'return' && !retired) {
      Object.assign(delivery, { progress: settlement.progress, dueAt: settlement.dueAt ?? 0 });
      return;
    }
    if (settlement.action === 'return') this.bury(delivery, 'subscription_retired');
    if (settlement.action === 'dead') this.bury(delivery, settlement.reason, settlement.at);
    this.deliveries = this.deliveries.filter((one) => one !== delivery);
    this.forgetEmpty();
  }

  purge(key: SubscriptionKey): number {
    const gone = this.waitingOf(key);
    this.deliveries = this.deliveries.filter((one) => !gone.includes(one));
    return gone.length;
  }

  redrive(selection: DeadLetterSelection, limit: number, step: string | undefined): number {
    const targetOf = ({ of }: ModelLetter): StoredSubscription | undefined => this.live().find((one) => same(one, { step: step ?? of.step, topic: of.topic }));
    const letters = this.select(selection).filter(targetOf).slice(0, limit);
    this.letters = this.letters.filter((letter) => !letters.includes(letter));
    for (const letter of letters) this.add(targetOf(letter) as StoredSubscription, { ...letter.message, dueAt: undefined });
    return letters.length;
  }

  discard(selection: DeadLetterSelection, limit: number): number {
    const letters = this.select(selection).slice(0, limit);
    this.letters = this.letters.filter((letter) => !letters.includes(letter));
    return letters.length;
  }

  /** Says how many went. */
  expire({ deadBefore, maxDead, unroutedBefore }: QueueExpiry): { readonly dead: number; readonly unrouted: number } {
    const [letters, unrouted] = [this.letters.length, this.unrouted.length];
    this.letters = this.letters.filter(({ at }) => at >= deadBefore);
    const counts = ({ reason }: ModelLetter): boolean => reason !== 'subscription_retired';
    this.letters = this.letters.filter((letter, index) => (
      !counts(letter) || this.letters.slice(index).filter((other) => counts(other) && same(other.of, letter.of)).length <= maxDead));
    this.unrouted = this.unrouted.filter(({ message }) => message.enqueuedAt >= unroutedBefore);
    return { dead: letters - this.letters.length, unrouted: unrouted - this.unrouted.length };
  }

  /** Oldest first. */
  select({ step, topic, reason }: DeadLetterSelection): ModelLetter[] {
    return this.letters.filter((letter) => (
      (step ?? letter.of.step) === letter.of.step && (topic ?? letter.of.topic) === letter.of.topic && (reason ?? letter.reason) === letter.reason));
  }

  statistics(): SubscriptionStatistics[] {
    return this.subscriptions.map(({ stored: { step, topic } }) => {
      const all = this.deliveries.filter((one) => same(one.of, { step, topic }));
      const later = all.filter(({ active, dueAt }) => !active && dueAt > this.now);
      const retrying = later.filter(({ progress }) => progress.attempts + progress.deaths > 0).length;
      const active = all.filter((one) => one.active).length;
      return {
        step, topic, waiting: all.length - later.length - active, delayed: later.length - retrying, retrying, active,
        dead: this.letters.filter(({ of }) => same(of, { step, topic })).length, ...all[0] && { oldest: all[0].message.enqueuedAt },
      };
    });
  }

  /** The engine has ended: its claims are void. */
  restart(durable: boolean): void {
    if (!durable) Object.assign(this, new ReferenceQueue(), { now: this.now });
    for (const delivery of this.deliveries) delivery.active = false;
    for (const { stored, retired } of this.subscriptions) {
      if (!retired) continue;
      for (const delivery of this.waitingOf(stored)) this.bury(delivery, 'subscription_retired');
      this.deliveries = this.deliveries.filter((one) => !same(one.of, stored));
    }
    this.forgetEmpty();
  }

  private add({ step, topic, delayMs }: StoredSubscription, message: NewMessage): void {
    const dueAt = delayMs > 0 ? Math.max(message.dueAt ?? 0, message.enqueuedAt + delayMs) : message.dueAt ?? 0;
    this.deliveries.push({ of: { step, topic }, message, dueAt, progress: FRESH, active: false });
  }

  private bury({ of, message }: ModelDelivery, reason: DeadLetterReason, at: number = this.now): void {
    this.letters.push({ of, message, reason, at });
  }

  private waitingOf(key: SubscriptionKey): ModelDelivery[] {
    return this.deliveries.filter((one) => same(one.of, key) && !one.active);
  }

  private forgetEmpty(): void {
    this.subscriptions = this.subscriptions.filter(({ stored, retired }) => !retired || this.deliveries.some((one) => same(one.of, stored)));
  }

  private targetsOf({ topic, to }: NewMessage): SubscriptionKey[] {
    const found = this.live().filter((one) => (to === undefined ? one.topic === topic : one.topic === '' && one.step === to));
    return found.length === 0 && to === undefined ? [{ step: '', topic }] : found.map((one) => ({ step: one.step, topic: one.topic }));
  }

  private sizeOf(key: SubscriptionKey): number {
    if (key.step === '') return this.unrouted.filter(({ message }) => message.topic === key.topic).length;
    return this.deliveries.filter((one) => same(one.of, key)).length;
  }

  private firstId(message: NewMessage, keys: Map<string, string>): string {
    if (message.dedupeKey === undefined || this.targetsOf(message).length === 0) return message.id;
    const scope = scopeOf(message);
    const before = this.used.get(scope);
    if (before && before.until > message.enqueuedAt) return before.id;
    const first = keys.get(scope) ?? message.id;
    keys.set(scope, first);
    return first;
  }
}

function scopeOf({ topic, to, dedupeKey }: NewMessage): string {
  return JSON.stringify([to === undefined, to ?? topic, dedupeKey]);
}

function groupOf({ message }: ModelDelivery): string {
  return message.groupId ?? '';
}
