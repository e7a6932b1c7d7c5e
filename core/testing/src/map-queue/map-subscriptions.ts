import type { NewMessage, QueueExpired, SubscriptionKey, DeclaredSubscription } from '@treadle/api';
import { type KeptMessage, MapSubscription } from './map-subscription.js';

/** A message of a topic that nobody has subscribed to. */
interface Unrouted {
  readonly id: number;
  readonly message: KeptMessage;
  readonly dueAt: number;
}

/** Subscriptions in memory, and what waits for one. */
export class MapSubscriptions {
  private readonly byKey = new Map<string, MapSubscription>();
  private readonly unroutedOf = new Map<string, Unrouted[]>();

  get(key: SubscriptionKey): MapSubscription | undefined {
    return this.byKey.get(textOf(key));
  }

  /** Those that get a message now. */
  of({ topic, to }: Pick<NewMessage, 'topic' | 'to'>): readonly MapSubscription[] {
    const fits = ({ stored, retired }: MapSubscription): boolean => (
      !retired && stored.topic === (to === undefined ? topic : '') && (to === undefined || stored.step === to));
    return this.all().filter(fits);
  }

  all(): readonly MapSubscription[] {
    return [...this.byKey.values()];
  }

  /** Creates or replaces them; new ones, and those that were retired, get what lies unrouted for their topic. */
  put(subscriptions: readonly DeclaredSubscription[]): void {
    const fresh: MapSubscription[] = [];
    for (const wanted of subscriptions) {
      const known = this.get(wanted);
      const stored = { ...wanted, paused: known?.retired === false && known.stored.paused };
      const subscription = known ?? new MapSubscription(stored);
      if (!known || known.retired) fresh.push(subscription);
      this.byKey.set(textOf(stored), Object.assign(subscription, { stored, retired: false }));
    }
    for (const subscription of fresh) {
      for (const { id, message, dueAt } of this.unroutedOf.get(subscription.stored.topic) ?? []) subscription.add(id, message, dueAt);
    }
    for (const { stored } of fresh) this.unroutedOf.delete(stored.topic);
  }

  /** Takes a retired one away once nothing of it is claimed. */
  forget(subscription: MapSubscription): void {
    if (subscription.retired && subscription.deliveries.size === 0) this.byKey.delete(textOf(subscription.stored));
  }

  keepUnrouted(topic: string, unrouted: Unrouted): void {
    const kept = this.unroutedOf.get(topic) ?? [];
    kept.push(unrouted);
    this.unroutedOf.set(topic, kept);
  }

  unroutedCount(topic: string): number {
    return this.unroutedOf.get(topic)?.length ?? 0;
  }

  unrouted(): { topic: string; count: number; oldest: number }[] {
    return [...this.unroutedOf].map(([topic, kept]) => ({ topic, count: kept.length, oldest: kept[0]?.message.enqueuedAt ?? 0 }));
  }

  /** Removes what lies there and says how many they were. */
  purgeUnrouted(topic: string): number {
    const count = this.unroutedCount(topic);
    this.unroutedOf.delete(topic);
    return count;
  }

  expireUnrouted(before: number): QueueExpired['unrouted'] {
    return [...this.unroutedOf].flatMap(([topic, kept]) => {
      const rest = kept.filter(({ message }) => message.enqueuedAt >= before);
      if (rest.length === 0) this.unroutedOf.delete(topic);
      else this.unroutedOf.set(topic, rest);
      const count = kept.length - rest.length;
      return count > 0 ? [{ topic, count }] : [];
    });
  }
}

function textOf({ step, topic }: SubscriptionKey): string {
  return JSON.stringify([step, topic]);
}
