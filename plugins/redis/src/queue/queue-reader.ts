import type { PeekedDelivery, SubscriptionKey, SubscriptionStatistics } from '@treadle/api';
import { messageOf, progressOf } from './message-text.js';
import { PEEK, STATISTICS } from './operator-scripts.js';
import type { QueueWork } from './queue-work.js';

/** What operators see. */
export class QueueReader {
  constructor(private readonly work: QueueWork) {}

  async statistics(): Promise<readonly SubscriptionStatistics[]> {
    const { work } = this;
    await work.reload();
    const subscriptions = work.list.all.filter(({ stored }) => stored.step !== '');
    const found = await work.ofEach<number | string>(STATISTICS, subscriptions.map(({ number }) => number), 6);
    return subscriptions.map(({ stored: { step, topic } }, index) => {
      const values = found[index] ?? [];
      const [all = 0, delayed = 0, retrying = 0, active = 0, dead = 0] = values.map(Number);
      const oldest = values[5] === '' ? undefined : work.time.fromStore(Number(values[5]));
      return { step, topic, waiting: all - delayed - retrying - active, delayed, retrying, active, dead, ...oldest !== undefined && { oldest } };
    });
  }

  async unrouted(): Promise<readonly { readonly topic: string; readonly count: number; readonly oldest: number }[]> {
    const { work } = this;
    await work.reload();
    const { unrouted } = work.list;
    const found = await work.ofEach<number | string>(STATISTICS, unrouted.map(({ number }) => number), 6);
    return unrouted.flatMap(({ stored: { topic } }, index) => {
      const [count = 0, , , , , oldest] = found[index] ?? [];
      return Number(count) > 0 ? [{ topic, count: Number(count), oldest: work.time.fromStore(Number(oldest)) }] : [];
    });
  }

  async peek(key: SubscriptionKey, limit: number, after = 0): Promise<readonly PeekedDelivery[]> {
    const { work } = this;
    const found = work.list.get(key);
    if (!found) return [];
    const { step, topic } = found.stored;
    const rows = await work.run<readonly (string | number)[]>(PEEK, [found.number, limit, after]);
    return Array.from({ length: rows.length / 5 }, (_, index) => {
      const [id, message, progress, due, active] = rows.slice(5 * index, 5 * index + 5);
      return {
        step, topic, deliveryId: Number(id), ...messageOf(String(message), work.time), progress: progressOf(String(progress)), active: active === 1,
        dueAt: due === '' ? undefined : work.time.fromStore(Number(due)),
      };
    });
  }
}
