import type { DeliveryProgress, NewMessage, PeekedDelivery, QueueDelivery, StoredSubscription, SubscriptionStatistics } from '@treadle/api';

/** What of a message is kept for a delivery. */
export type KeptMessage = Pick<NewMessage, 'id' | 'kind' | 'data' | 'headers' | 'traceparent' | 'hops' | 'enqueuedAt' | 'groupId'>;

/** A delivery in memory; `epoch` while it is claimed. */
export interface MapDelivery {
  readonly id: number;
  readonly message: KeptMessage;
  /** 0: at once. */
  dueAt: number;
  progress: DeliveryProgress;
  epoch: string | undefined;
}

/** Progress of a delivery that nobody has tried. */
export const FRESH: DeliveryProgress = { attempts: 0, deaths: 0, history: '' };

/** A subscription and its deliveries in the order of their ids. */
export class MapSubscription {
  readonly deliveries = new Map<number, MapDelivery>();
  /** Gets nothing new; goes when its last claim is settled. */
  retired = false;

  constructor(public stored: StoredSubscription) {}

  /** `id` is higher than all before. Says when it is due; 0: at once. */
  add(id: number, message: KeptMessage, dueAt = 0): number {
    const { delayMs } = this.stored;
    const due = delayMs > 0 ? Math.max(dueAt, message.enqueuedAt + delayMs) : dueAt;
    this.deliveries.set(id, { id, message, dueAt: due, progress: FRESH, epoch: undefined });
    return due;
  }

  /** Claims up to `max` that are due, of a fifo group only the head. */
  claim(max: number, now: number, nextEpoch: () => string): QueueDelivery[] {
    const claimed: QueueDelivery[] = [];
    if (this.retired || this.stored.paused) return claimed;
    const seen = new Set<string>();
    for (const delivery of this.deliveries.values()) {
      if (claimed.length >= max) break;
      if (this.stored.fifo && !firstOf(seen, delivery)) continue;
      if (delivery.epoch !== undefined || delivery.dueAt > now) continue;
      delivery.epoch = nextEpoch();
      claimed.push({ ...this.shown(delivery), epoch: delivery.epoch });
    }
    return claimed;
  }

  /** Removes what is not claimed. */
  takeWaiting(): MapDelivery[] {
    const waiting = [...this.deliveries.values()].filter(({ epoch }) => epoch === undefined);
    for (const { id } of waiting) this.deliveries.delete(id);
    return waiting;
  }

  peek(limit: number, now: number, after: number): PeekedDelivery[] {
    return [...this.deliveries.values()].filter(({ id }) => id > after).slice(0, limit).map((delivery) => ({
      ...this.shown(delivery), active: delivery.epoch !== undefined, ...delivery.dueAt > now && { dueAt: delivery.dueAt },
    }));
  }

  statistics(now: number, dead: number): SubscriptionStatistics {
    const { step, topic } = this.stored;
    const counts = { waiting: 0, delayed: 0, retrying: 0, active: 0 };
    for (const delivery of this.deliveries.values()) counts[standing(delivery, now)] += 1;
    const [head] = this.deliveries.values();
    return { step, topic, ...counts, dead, ...head && { oldest: head.message.enqueuedAt } };
  }

  private shown({ id: deliveryId, message, progress }: MapDelivery): Omit<QueueDelivery, 'epoch'> {
    const { step, topic } = this.stored;
    const { id: messageId, kind, data, headers, traceparent, hops, enqueuedAt, groupId } = message;
    return { step, topic, deliveryId, messageId, kind, data, headers, traceparent, hops, enqueuedAt, groupId, progress };
  }
}

function firstOf(seen: Set<string>, { message: { groupId = '' } }: MapDelivery): boolean {
  if (seen.has(groupId)) return false;
  seen.add(groupId);
  return true;
}

function standing({ epoch, dueAt, progress }: MapDelivery, now: number): 'active' | 'waiting' | 'retrying' | 'delayed' {
  if (epoch !== undefined) return 'active';
  if (dueAt <= now) return 'waiting';
  return progress.attempts + progress.deaths > 0 ? 'retrying' : 'delayed';
}
