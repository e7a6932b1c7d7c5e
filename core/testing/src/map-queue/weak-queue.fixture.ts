import {
  Adapter, definePlugin, type EnqueueOutcome, type NewMessage, type QueueCapabilities, QueueSlot, type SubscriptionChange,
} from '@treadle/api';
import { MapQueue } from './map-queue.js';

/** A queue that declares that it has no delays, no order and no memory of keys, and refuses whatever asks for them. */
@Adapter<Record<never, never>, QueueCapabilities>({
  id: 'testing::queue::adapters::WeakQueue', slot: QueueSlot, summary: 'A queue with few promises', stability: 'development', since: '0.1.0',
  config: { type: 'object', additionalProperties: false, properties: {} },
  capabilities: { durable: false, ordering: 'none', delayed: false, dedupe: false, multiEngine: false, takeOverMs: 0, counts: 'exact', commit: [], maxMessageBytes: 1_000_000 },
  variants: { plain: {} },
})
export class WeakQueue extends MapQueue {
  override async changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    for (const change of changes) {
      if (change.action === 'put' && (change.subscription.fifo || change.subscription.delayMs > 0)) throw new Error('asked for what it declares not to have: order or delays');
    }
    await super.changeSubscriptions(changes);
  }

  override async enqueueMany(batches: readonly (readonly NewMessage[])[], limits: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    for (const { dueAt, dedupeKey } of batches.flat()) if (dueAt !== undefined || dedupeKey !== undefined) throw new Error('asked for what it declares not to have: delays or keys');
    return super.enqueueMany(batches, limits);
  }
}

export default definePlugin({ name: '@treadle/weak-queue', version: '0.1.0', api: '*', adapters: [WeakQueue] });
