import {
  Adapter, type ClaimRequest, type DeadLetterPage, type DeadLetterSelection, type DeliveryClaim, EngineInfo, type EnqueueOutcome, Inject, InjectAdapter, InjectConfig,
  type ModuleContext, type NewMessage, OperationError, type PeekedDelivery, type QueueAdapter, type QueueCapabilities, type QueueDelivery,
  type QueueExpired, type QueueExpiry, QueueSlot, type Redrive, type Settlement, type StoredSubscription, type SubscriptionChange, type SubscriptionKey,
  type SubscriptionStatistics, type Unsubscribe,
} from '@treadle/api';
import { RABBITMQ_DEFAULTS, RabbitMqConfig } from '../server/rabbit.config.js';
import { RabbitQueue } from './rabbit-queue.js';

/**
 * Has RabbitMQ carry the deliveries that need nothing but to arrive, for any number of engines; a second store keeps subscriptions and everything else. Claims
 * of what RabbitMQ carries end by settling, with their lease, or with the engine's connection.
 */
@Adapter<RabbitMqConfig, QueueCapabilities>({
  id: 'modules::queue::adapters::RabbitMq',
  slot: QueueSlot,
  summary: 'Keeps messages in RabbitMQ, beside a second store, for several engines.',
  stability: 'beta',
  since: '0.1.0',
  config: RabbitMqConfig,
  capabilities: {
    durable: true, ordering: 'per_key', delayed: true, dedupe: true, multiEngine: true, takeOverMs: 7_000, counts: 'about', commit: [],
    lacks: ['places', 'pages', 'ages', 'settlements'], maxMessageBytes: 1_000_000,
  },
  slots: { store: { slot: QueueSlot } },
  requires: () => [
    ...['adopts', 'durable', 'delayed', 'dedupe', 'multiEngine'].map((capability) => ({ slot: 'store', capability })),
    { slot: 'store', capability: 'ordering', accepts: (value) => value === 'per_key' },
  ],
  variants: { rabbitmq: RABBITMQ_DEFAULTS },
})
export class RabbitMqQueueAdapter implements QueueAdapter {
  private working: RabbitQueue | undefined;

  constructor(
    @InjectConfig() private readonly config: RabbitMqConfig, @InjectAdapter('store') private readonly store: QueueAdapter,
    @Inject(EngineInfo) private readonly engine: EngineInfo,
  ) {}

  async init({ clock, log, report }: ModuleContext): Promise<void> {
    const { config, store, engine } = this;
    this.working = await RabbitQueue.open({ config, store, clock, log, engine: engine.engineId, report: (...said) => report(...said) });
  }

  async stop(): Promise<void> {
    const { working } = this;
    this.working = undefined;
    await working?.close();
  }

  async subscriptions(): Promise<readonly StoredSubscription[]> {
    return this.queue.subscriptions();
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
    return this.queue.settler.settleMany(settlements);
  }

  async renewMany(claims: readonly DeliveryClaim[], leaseMs: number): Promise<readonly boolean[]> {
    return this.queue.claimer.renewMany(claims, leaseMs);
  }

  onDue(listener: (key: SubscriptionKey) => void): Unsubscribe {
    return this.queue.work.onDue(listener);
  }

  async statistics(): Promise<readonly SubscriptionStatistics[]> {
    return this.queue.operator.statistics();
  }

  async unrouted(): Promise<readonly { readonly topic: string; readonly count: number; readonly oldest: number }[]> {
    return this.queue.work.store.unrouted();
  }

  async peek(key: SubscriptionKey, limit: number, after?: number): Promise<readonly PeekedDelivery[]> {
    return after === undefined ? this.queue.operator.peek(key, limit) : [];
  }

  async purge(key: SubscriptionKey): Promise<number> {
    return this.queue.operator.purge(key);
  }

  async deadLetters(selection: DeadLetterSelection, page: { readonly limit: number; readonly cursor?: string | undefined }): Promise<DeadLetterPage> {
    return this.queue.work.store.deadLetters(selection, page);
  }

  async deadLetterCounts(): Promise<readonly (SubscriptionKey & { readonly count: number })[]> {
    return this.queue.work.store.deadLetterCounts();
  }

  async redrive(redrive: Redrive): Promise<number> {
    this.queue.work.counts.forget();
    return this.queue.work.store.redrive(redrive);
  }

  async discard(selection: DeadLetterSelection, limit: number): Promise<number> {
    return this.queue.work.store.discard(selection, limit);
  }

  async expire(expiry: QueueExpiry): Promise<QueueExpired> {
    return this.queue.work.store.expire(expiry);
  }

  private get queue(): RabbitQueue {
    if (!this.working) throw new OperationError('StorageClosed', 'the queue adapter is not open');
    return this.working;
  }
}
