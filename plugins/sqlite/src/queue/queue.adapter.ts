import {
  Adapter, type ClaimRequest, type CommitOutcome, type DeadLetterPage, type DeadLetterSelection, type DeliveryClaim, type DeliveryCommit, EngineInfo, type EnqueueOutcome, Inject, InjectConfig,
  type ModuleContext, type NewMessage, OperationError, type PeekedDelivery, type QueueAdapter, type QueueCapabilities, type QueueDelivery,
  type QueueExpired, type QueueExpiry, QueueSlot, type Redrive, type Settlement, type StoredSubscription, type SubscriptionChange, type SubscriptionKey,
  type SubscriptionStatistics, type Unsubscribe, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { openTransfer } from '../transfer/copied-store.js';
import { queueTransfer } from './queue-transfer.js';
import { QueueTable } from './queue-table.js';
import { QUEUE_DEFAULTS, SqliteQueueConfig } from './queue.config.js';
import { sharedStore, storeId, storeVariants } from '../store/store.config.js';

const MB = 1_000_000;

/** What there is between init and stop. */
interface Working {
  readonly table: QueueTable;
  leave(): void;
}

/**
 * Keeps queues in the embedded store. One engine owns the file, so claims live in its memory and need no renewal: they
 * end by settling or with the engine.
 */
@Adapter<SqliteQueueConfig, QueueCapabilities>({
  id: 'modules::queue::adapters::Sqlite',
  aliases: ['modules::queue::BuiltinQueueAdapter'],
  slot: QueueSlot,
  summary: 'Keeps messages in an embedded SQLite database; acknowledged messages survive a power cut.',
  stability: 'beta',
  since: '0.1.0',
  config: SqliteQueueConfig,
  capabilities: (config) => ({
    durable: config.store_method === 'file_based', ordering: 'per_key', delayed: true, dedupe: true, multiEngine: false, takeOverMs: 0, counts: 'exact',
    commit: ['settle', 'enqueue', 'state', 'stream'],
    maxMessageBytes: 1_000_000,
  }),
  shares: sharedStore,
  store: storeId,
  variants: storeVariants(QUEUE_DEFAULTS),
})
export class SqliteQueueAdapter implements QueueAdapter {
  private working: Working | undefined;

  constructor(@InjectConfig() private readonly config: SqliteQueueConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    const { clock, log } = context;
    const { store, leave } = await useStore(context, this.engine, this.config);
    const use = QueueTable.of({ store, clock, log, memoryBytes: this.config.memory_mb * MB });
    this.working = {
      table: use.table,
      leave: () => {
        use.leave();
        leave();
      },
    };
    await use.table.resumed;
  }

  async stop(): Promise<void> {
    const { working } = this;
    this.working = undefined;
    working?.leave();
    return Promise.resolve();
  }

  async subscriptions(): Promise<readonly StoredSubscription[]> {
    return this.table.subscriptions();
  }

  async changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    await this.table.changeSubscriptions(changes);
  }

  async enqueueMany(batches: readonly (readonly NewMessage[])[], limits: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    return this.table.enqueueMany(batches, limits);
  }

  async claimMany(requests: readonly ClaimRequest[], _leaseMs: number): Promise<readonly QueueDelivery[]> {
    return this.table.claimMany(requests);
  }

  async settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return this.table.settleMany(settlements);
  }

  async commitMany(commits: readonly DeliveryCommit[], limits: { readonly maxWaiting: number }): Promise<readonly CommitOutcome[]> {
    return this.table.commitMany(commits, limits);
  }

  async renewMany(claims: readonly DeliveryClaim[], _leaseMs: number): Promise<readonly boolean[]> {
    const { table } = this;
    return claims.map((claim) => table.holds(claim));
  }

  onDue(listener: (key: SubscriptionKey) => void): Unsubscribe {
    return this.table.onDue(listener);
  }

  async statistics(): Promise<readonly SubscriptionStatistics[]> {
    return this.table.statistics();
  }

  async unrouted(): Promise<readonly { readonly topic: string; readonly count: number; readonly oldest: number }[]> {
    return this.table.unrouted();
  }

  async peek(key: SubscriptionKey, limit: number, after?: number): Promise<readonly PeekedDelivery[]> {
    return this.table.peek(key, limit, after);
  }

  async purge(key: SubscriptionKey): Promise<number> {
    return this.table.purge(key);
  }

  async deadLetterCounts(): Promise<readonly (SubscriptionKey & { readonly count: number })[]> {
    return this.table.deadLetterCounts();
  }

  async deadLetters(selection: DeadLetterSelection, page: { readonly limit: number; readonly cursor?: string | undefined }): Promise<DeadLetterPage> {
    return this.table.deadLetters(selection, page);
  }

  async redrive(redrive: Redrive): Promise<number> {
    return this.table.redrive(redrive);
  }

  async discard(selection: DeadLetterSelection, limit: number): Promise<number> {
    return this.table.discard(selection, limit);
  }

  async expire(expiry: QueueExpiry): Promise<QueueExpired> {
    return this.table.expire(expiry);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return openTransfer(context, this.engine, this.config, queueTransfer);
  }

  private get table(): QueueTable {
    if (!this.working) throw new OperationError('StorageClosed', 'the queue adapter is not open');
    return this.working.table;
  }
}
