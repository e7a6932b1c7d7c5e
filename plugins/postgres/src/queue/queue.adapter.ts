import {
  Adapter, type AdoptedDelivery, type ClaimRequest, type CommitOutcome, type DeadLetterPage, type DeadLetterSelection, type DeliveryClaim, type DeliveryCommit, EngineInfo, type EnqueueOutcome, Inject, InjectConfig,
  type ModuleContext, type NewMessage, type PeekedDelivery, type QueueAdapter, type QueueCapabilities, type QueueDelivery,
  type QueueExpired, type QueueExpiry, QueueSlot, type Redrive, type Settlement, type StoredSubscription, type SubscriptionChange, type SubscriptionKey,
  type SubscriptionStatistics, type Unsubscribe, type StoreTransfer, type TransferContext, StorePart,
} from '@treadle/api';
import type { PgStore } from '../store/pg-store.js';
import { useStore } from '../store/shared-store.js';
import { PostgresTransfer } from '../transfer/postgres-transfer.js';
import { queueTransfer } from './queue-transfer.js';
import { databaseStore, POSTGRES_DEFAULTS, PostgresConfig, sharedDatabase } from '../store/store.config.js';
import { QueueStore } from './queue-store.js';

/**
 * Keeps queues in PostgreSQL, for any number of engines. Claims end by settling, with their lease, or when their engine
 * has shown no sign of life for some seconds.
 */
@Adapter<PostgresConfig, QueueCapabilities>({
  id: 'modules::queue::adapters::Postgres',
  slot: QueueSlot,
  summary: 'Keeps messages in PostgreSQL, for several engines; acknowledged messages survive a power cut.',
  stability: 'beta',
  since: '0.1.0',
  config: PostgresConfig,
  capabilities: {
    durable: true, ordering: 'per_key', delayed: true, dedupe: true, multiEngine: true, takeOverMs: 5_000, counts: 'about',
    commit: ['settle', 'enqueue', 'state', 'stream'], adopts: true,
    maxMessageBytes: 1_000_000,
  },
  shares: sharedDatabase,
  store: databaseStore,
  variants: { postgres: POSTGRES_DEFAULTS },
})
export class PostgresQueueAdapter implements QueueAdapter {
  private readonly opened = new StorePart<PgStore, QueueStore>('queue');

  constructor(@InjectConfig() private readonly config: PostgresConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.engine, this.config), (store) => QueueStore.open(store, context.clock, context.log));
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
    return PostgresTransfer.open(context, this.config, queueTransfer);
  }

  private get queue(): QueueStore {
    return this.opened.part;
  }
}
