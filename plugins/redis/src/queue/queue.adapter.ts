import {
  Adapter, type AdoptedDelivery, type ClaimRequest, type CommitOutcome, type DeadLetterPage, type DeadLetterSelection, type DeliveryClaim, type DeliveryCommit, type EnqueueOutcome, InjectConfig,
  type ModuleContext, type NewMessage, type PeekedDelivery, type QueueAdapter, type QueueCapabilities, type QueueDelivery,
  type QueueExpired, type QueueExpiry, QueueSlot, type Redrive, type Settlement, type StoredSubscription, type SubscriptionChange, type SubscriptionKey,
  type StoreTransfer, type SubscriptionStatistics, type TransferContext, type Unsubscribe, StorePart,
} from '@treadle/api';
import type { RedisStore } from '../store/redis-store.js';
import { useStore } from '../store/shared-store.js';
import { prefixStore, REDIS_DEFAULTS, RedisConfig, sharedDatabase } from '../store/store.config.js';
import { RedisTransfer } from '../transfer/redis-transfer.js';
import { QueueStore } from './queue-store.js';
import { queueTransfer } from './queue-transfer.js';

/**
 * Keeps queues in Redis, for any number of engines. Claims end by settling, with their lease, or when their engine
 * has shown no sign of life for some seconds.
 */
@Adapter<RedisConfig, QueueCapabilities>({
  id: 'modules::queue::adapters::Redis',
  slot: QueueSlot,
  summary: 'Keeps messages in Redis, for several engines; acknowledged messages survive a power cut.',
  stability: 'beta',
  since: '0.1.0',
  config: RedisConfig,
  capabilities: {
    durable: true, ordering: 'per_key', delayed: true, dedupe: true, multiEngine: true, takeOverMs: 5_000, counts: 'exact',
    commit: ['settle', 'enqueue', 'state', 'stream'], adopts: true, maxMessageBytes: 1_000_000,
  },
  shares: sharedDatabase,
  store: prefixStore,
  variants: { redis: REDIS_DEFAULTS },
})
export class RedisQueueAdapter implements QueueAdapter {
  private readonly opened = new StorePart<RedisStore, QueueStore>('queue');

  constructor(@InjectConfig() private readonly config: RedisConfig) {}

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.config), (store) => QueueStore.open(store, context.clock));
  }

  async stop(): Promise<void> {
    await this.opened.close();
  }

  async subscriptions(): Promise<readonly StoredSubscription[]> {
    const { work } = this.queue;
    await work.reload();
    return work.list.living.map(({ stored }) => stored);
  }

  async changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    await this.queue.changeSubscriptions(changes);
  }

  onSubscriptions(listener: () => void): Unsubscribe {
    return this.queue.onSubscriptions(listener);
  }

  async enqueueMany(batches: readonly (readonly NewMessage[])[], limits: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    return this.queue.enqueuer.enqueueMany(batches, limits);
  }

  async claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    return this.queue.claimer.claimMany(requests, leaseMs);
  }

  async settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return this.queue.settleMany(settlements);
  }

  async commitMany(commits: readonly DeliveryCommit[], limits: { readonly maxWaiting: number }): Promise<readonly CommitOutcome[]> {
    return this.queue.commits.commitMany(commits, limits);
  }

  async renewMany(claims: readonly DeliveryClaim[], leaseMs: number): Promise<readonly boolean[]> {
    return this.queue.claimer.renewMany(claims, leaseMs);
  }

  onDue(listener: (key: SubscriptionKey) => void): Unsubscribe {
    return this.queue.work.onDue(listener);
  }

  async statistics(): Promise<readonly SubscriptionStatistics[]> {
    return this.queue.reader.statistics();
  }

  async unrouted(): Promise<readonly { readonly topic: string; readonly count: number; readonly oldest: number }[]> {
    return this.queue.reader.unrouted();
  }

  async peek(key: SubscriptionKey, limit: number, after?: number): Promise<readonly PeekedDelivery[]> {
    return this.queue.reader.peek(key, limit, after);
  }

  async purge(key: SubscriptionKey): Promise<number> {
    return this.queue.expirer.purge(key);
  }

  async deadLetters(selection: DeadLetterSelection, page: { readonly limit: number; readonly cursor?: string | undefined }): Promise<DeadLetterPage> {
    return this.queue.letters.page(selection, page);
  }

  async deadLetterCounts(): Promise<readonly (SubscriptionKey & { readonly count: number })[]> {
    return this.queue.letters.counts();
  }

  async redrive(redrive: Redrive): Promise<number> {
    return this.queue.letters.redrive(redrive);
  }

  async discard(selection: DeadLetterSelection, limit: number): Promise<number> {
    return this.queue.letters.discard(selection, limit);
  }

  async expire(expiry: QueueExpiry): Promise<QueueExpired> {
    return this.queue.expirer.expire(expiry);
  }

  async adoptMany(deliveries: readonly AdoptedDelivery[]): Promise<readonly boolean[]> {
    return this.queue.adopter.adoptMany(deliveries);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return RedisTransfer.open(context, this.config, queueTransfer);
  }

  private get queue(): QueueStore {
    return this.opened.part;
  }
}
