import {
  type DeadLetter, type DeadLetterPage, type DeadLetterSelection, OperationError, type PeekedDelivery, type QueueExpired, type QueueExpiry, type Redrive,
  type StoredSubscription, type SubscriptionKey, type SubscriptionStatistics,
} from '@treadle/api';
import type { SharedQueue } from './shared-queue.js';

const CURSOR = /^[1-9]\d{0,15}$/;

/** What operators see and do. */
export class QueueOperator {
  constructor(private readonly queue: SharedQueue) {}

  async subscriptions(): Promise<readonly StoredSubscription[]> {
    const { subscriptions } = await this.queue.fresh();
    return [...subscriptions.byKey.values()].filter(({ retired }) => !retired).map(({ stored }) => stored);
  }

  async statistics(): Promise<readonly SubscriptionStatistics[]> {
    const { subscriptions, letters } = await this.queue.fresh();
    const { time } = this.queue.store;
    return [...subscriptions.byKey.values()].map(({ stored: { step, topic }, counts, deliveries }) => {
      const [head] = deliveries.values();
      return { step, topic, ...counts, dead: letters.count({ step, topic }), ...head && { oldest: time.fromStore(head.enqueuedAt) } };
    });
  }

  async unrouted(): Promise<readonly { readonly topic: string; readonly count: number; readonly oldest: number }[]> {
    const { subscriptions } = await this.queue.fresh();
    return [...subscriptions.unrouted].flatMap(([topic, kept]) => {
      const [first] = kept;
      return first ? [{ topic, count: kept.length, oldest: this.queue.store.time.fromStore(first.enqueuedAt) }] : [];
    });
  }

  async peek(key: SubscriptionKey, limit: number, after = 0): Promise<readonly PeekedDelivery[]> {
    const { subscriptions } = await this.queue.fresh();
    const { time } = this.queue.store;
    const seen = [...subscriptions.get(key)?.deliveries.values() ?? []].filter(({ id }) => id > after).slice(0, limit);
    const contents = await this.queue.replica.bodies.contentsOf(seen);
    return seen.map(({ id, progress, held, later, dueAt }, index) => ({
      step: key.step, topic: key.topic, deliveryId: id, ...contents[index] as (typeof contents)[number], progress, active: held !== undefined,
      ...later && { dueAt: time.fromStore(dueAt) },
    }));
  }

  purge({ step, topic }: SubscriptionKey): Promise<number> {
    return this.queue.run(() => ({ op: 'purge', key: { step, topic } }));
  }

  async deadLetters(selection: DeadLetterSelection, { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined }): Promise<DeadLetterPage> {
    if (cursor !== undefined && !CURSOR.test(cursor)) throw new OperationError('QueueInvalidArgument', `"${cursor}" is no cursor of this store`);
    const { letters } = await this.queue.fresh();
    const before = cursor === undefined ? Infinity : Number(cursor);
    const rest = letters.select(selection).filter(({ id }) => id < before).reverse();
    const page = rest.slice(0, limit);
    const contents = await this.queue.replica.bodies.contentsOf(page);
    const items = page.map(({ id, step, topic, reason, deadAt, progress }, index): DeadLetter => {
      const { hops: _hops, ...content } = contents[index] as (typeof contents)[number];
      return { id: String(id), step, topic, reason, deadAt: this.queue.store.time.fromStore(deadAt), ...content, progress };
    });
    const last = items.at(-1);
    return rest.length > limit && last ? { items, cursor: last.id } : { items };
  }

  async deadLetterCounts(): Promise<readonly (SubscriptionKey & { readonly count: number })[]> {
    return (await this.queue.fresh()).letters.counts();
  }

  redrive({ selection, step, data, limit, now }: Redrive): Promise<number> {
    const at = this.queue.store.time.toStore(now);
    return this.queue.run(
      (first) => ({ op: 'redrive', selection, step, data: data === undefined ? undefined : first, limit, now: at }), data === undefined ? [] : [Buffer.from(data)]);
  }

  discard(selection: DeadLetterSelection, limit: number): Promise<number> {
    return this.queue.run(() => ({ op: 'discard', selection, limit }));
  }

  expire({ deadBefore, maxDead, unroutedBefore }: QueueExpiry): Promise<QueueExpired> {
    const { time } = this.queue.store;
    const expiry = { deadBefore: time.toStore(deadBefore), maxDead, unroutedBefore: time.toStore(unroutedBefore) };
    return this.queue.run(() => ({ op: 'expire', expiry }));
  }
}
