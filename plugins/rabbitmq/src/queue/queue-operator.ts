import type { PeekedDelivery, SubscriptionKey, SubscriptionStatistics } from '@treadle/api';
import { FRESH } from './carried-message.js';
import type { Lane } from './lane.js';
import type { Pushed } from './pushed.js';
import type { QueueWork } from './queue-work.js';
import { notedBy } from './retired-lanes.js';

/** How often it is counted anew at most while deliveries come. */
const COUNTS = 5;

/** What operators see and remove, of the second store and of the server. */
export class QueueOperator {
  constructor(private readonly work: QueueWork) {}

  /** What other engines have been pushed is not seen from here. */
  async statistics(): Promise<readonly SubscriptionStatistics[]> {
    const { work } = this;
    await work.reload();
    const stored = (await work.store.statistics()).filter((one) => !notedBy(one));
    return Promise.all(stored.map(async (counts) => {
      const lane = work.lane(counts);
      if (!work.isCarried(counts) && !lane.isOpen) return counts;
      const waiting = counts.waiting + await waitingOf(lane);
      const times = [...lane.buffer, ...lane.held.values()].map(({ message }) => message.enqueuedAt);
      const oldest = Math.min(counts.oldest ?? Infinity, ...times);
      return { ...counts, waiting, active: counts.active + lane.held.size, ...oldest < Infinity && { oldest } };
    }));
  }

  async peek(key: SubscriptionKey, limit: number): Promise<readonly PeekedDelivery[]> {
    const { work } = this;
    if (!work.list.get(key)) await work.reload();
    const lane = work.lane(key);
    if (work.isCarried(key)) await lane.gather(limit);
    const stored = await work.store.peek(key, limit);
    const shown = (active: boolean) => ({ number, message }: Pushed): PeekedDelivery => (
      { step: key.step, topic: key.topic, ...message, deliveryId: number, progress: FRESH, active });
    const carried = [...[...lane.held.values()].map(shown(true)), ...lane.buffer.map(shown(false))].sort((a, b) => a.deliveryId - b.deliveryId);
    return merged(stored, carried).slice(0, limit);
  }

  /** What other engines have been pushed stays. */
  async purge(key: SubscriptionKey): Promise<number> {
    const { work } = this;
    const lane = work.lane(key);
    const [stored, carried] = await Promise.all([work.store.purge(key), work.isCarried(key) ? lane.purge() : 0]);
    work.counts.forget();
    return stored + carried;
  }
}

/**
 * Both in the order that each has: that of the second store is not that of its times, which go by a clock that is measured now and then. Of the first of each the one
 * that was enqueued first goes before.
 */
export function merged<Peeked extends Pick<PeekedDelivery, 'enqueuedAt' | 'messageId'>>(one: readonly Peeked[], other: readonly Peeked[]): Peeked[] {
  const rest = [...one];
  return [...other.flatMap((next) => {
    const behind = rest.findIndex((first) => !isBefore(first, next));
    return [...rest.splice(0, behind < 0 ? rest.length : behind), next];
  }), ...rest];
}

function isBefore(a: Pick<PeekedDelivery, 'enqueuedAt' | 'messageId'>, b: Pick<PeekedDelivery, 'enqueuedAt' | 'messageId'>): boolean {
  return a.enqueuedAt === b.enqueuedAt ? a.messageId < b.messageId : a.enqueuedAt < b.enqueuedAt;
}

/** How many wait, on the server and here, at one moment: what is pushed meanwhile would count twice. */
async function waitingOf(lane: Lane): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const here = lane.buffer.length;
    const there = await lane.count();
    if (lane.buffer.length === here || attempt === COUNTS) return there + lane.buffer.length;
  }
}
