import {
  Adapter, type ClaimRequest, type CommitOutcome, type DeadLetterPage, type DeadLetterSelection, type DeliveryClaim, type DeliveryCommit, EngineInfo,
  type EnqueueOutcome, Inject, InjectConfig, type ModuleContext, type NewMessage, type PeekedDelivery, type QueueAdapter, type QueueCapabilities,
  type QueueDelivery, type QueueExpired, type QueueExpiry, QueueSlot, type Redrive, type Settlement, type StoredSubscription, type SubscriptionChange,
  type StoreTransfer, type SubscriptionKey, type SubscriptionStatistics, type TransferContext, type Unsubscribe, StorePart,
} from '@treadle/api';
import type { NatsStore } from '../store/nats-store.js';
import { useStore } from '../store/shared-store.js';
import { NATS_DEFAULTS, NatsConfig, sharedServer } from '../store/store.config.js';
import { QueueTransfer } from './queue-transfer.js';
import { QueueOperator } from './queue-operator.js';
import { QueueWork } from './queue-work.js';
import { SharedQueue } from './shared-queue.js';

/** What there is between init and stop. */
interface Working {
  readonly queue: SharedQueue;
  readonly work: QueueWork;
  readonly operator: QueueOperator;
  close(): Promise<void>;
}

/** Keeps queues in a log of NATS JetStream, for any number of engines. Claims end by settling, with their lease, or when their engine has been silent for some seconds. */
@Adapter<NatsConfig, QueueCapabilities>({
  id: 'modules::queue::adapters::Nats',
  slot: QueueSlot,
  summary: 'Keeps messages in NATS JetStream, for several engines; what waits is known in the memory of each.',
  stability: 'beta',
  since: '0.1.0',
  config: NatsConfig,
  capabilities: {
    durable: true, ordering: 'per_key', delayed: true, dedupe: true, multiEngine: true, takeOverMs: 5_000, counts: 'exact', commit: ['settle', 'enqueue'],
    maxMessageBytes: 1_000_000,
  },
  shares: sharedServer,
  variants: { nats: NATS_DEFAULTS },
})
export class NatsQueueAdapter implements QueueAdapter {
  private readonly opened = new StorePart<NatsStore, Working>('queue');

  constructor(@InjectConfig() private readonly config: NatsConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.engine, this.config), async (store) => {
      const queue = await SharedQueue.open(store, context);
      return { queue, work: new QueueWork(queue), operator: new QueueOperator(queue), close: () => queue.close() };
    });
  }

  async stop(): Promise<void> {
    await this.opened.close();
  }

  async subscriptions(): Promise<readonly StoredSubscription[]> {
    return this.open.operator.subscriptions();
  }

  async changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    await this.open.queue.changeSubscriptions(changes);
  }

  onSubscriptions(listener: () => void): Unsubscribe {
    return this.open.queue.onSubscriptions(listener);
  }

  async enqueueMany(batches: readonly (readonly NewMessage[])[], limits: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    return this.open.work.enqueueMany(batches, limits);
  }

  async claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    return this.open.work.claimMany(requests, leaseMs);
  }

  async settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return this.open.work.settleMany(settlements);
  }

  async commitMany(commits: readonly DeliveryCommit[], limits: { readonly maxWaiting: number }): Promise<readonly CommitOutcome[]> {
    return this.open.work.commitMany(commits, limits);
  }

  async renewMany(claims: readonly DeliveryClaim[], leaseMs: number): Promise<readonly boolean[]> {
    return this.open.work.renewMany(claims, leaseMs);
  }

  onDue(listener: (key: SubscriptionKey) => void): Unsubscribe {
    return this.open.queue.onDue(listener);
  }

  async statistics(): Promise<readonly SubscriptionStatistics[]> {
    return this.open.operator.statistics();
  }

  async unrouted(): Promise<readonly { readonly topic: string; readonly count: number; readonly oldest: number }[]> {
    return this.open.operator.unrouted();
  }

  async peek(key: SubscriptionKey, limit: number, after?: number): Promise<readonly PeekedDelivery[]> {
    return this.open.operator.peek(key, limit, after);
  }

  async purge(key: SubscriptionKey): Promise<number> {
    return this.open.operator.purge(key);
  }

  async deadLetters(selection: DeadLetterSelection, page: { readonly limit: number; readonly cursor?: string | undefined }): Promise<DeadLetterPage> {
    return this.open.operator.deadLetters(selection, page);
  }

  async deadLetterCounts(): Promise<readonly (SubscriptionKey & { readonly count: number })[]> {
    return this.open.operator.deadLetterCounts();
  }

  async redrive(redrive: Redrive): Promise<number> {
    return this.open.operator.redrive(redrive);
  }

  async discard(selection: DeadLetterSelection, limit: number): Promise<number> {
    return this.open.operator.discard(selection, limit);
  }

  async expire(expiry: QueueExpiry): Promise<QueueExpired> {
    return this.open.operator.expire(expiry);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return QueueTransfer.open(context, this.config);
  }

  private get open(): Working {
    return this.opened.part;
  }
}
