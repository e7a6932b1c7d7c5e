import {
  Adapter, type ClaimRequest, type ConfigSchema, type DeadLetterPage, type DeadLetterSelection, type DeliveryClaim, definePlugin, type EnqueueOutcome,
  InjectConfig, type NewMessage, type QueueCapabilities, type QueueDelivery, type QueueExpired, type QueueExpiry, QueueSlot,
  type Redrive, type Settlement, type StoredSubscription, type SubscriptionChange, type SubscriptionKey, type SubscriptionStatistics,
} from '@treadle/api';
import { MapQueue } from '../map-queue/map-queue.js';
import type { MapDelivery } from '../map-queue/map-subscription.js';

/** What is wrong with the queue; the suite must find each. */
export const FLAWS = [
  'none', 'claims_durable', 'stale_claims', 'epochs_repeat', 'batch_torn', 'first_subscriber_only', 'newest_first', 'early', 'fifo_passes_waiting',
  'dedupe_forgets_done', 'dedupe_everywhere', 'redrive_new_id', 'redrive_keeps_progress', 'retire_drops', 'unrouted_lost', 'unrouted_to_first', 'silent',
  'paused_claimed', 'purge_takes_claimed', 'progress_lost', 'letters_oldest_first', 'expire_counts_retired', 'oldest_wrong', 'proto_group', 'limit_ignored', 'calls_overtake',
] as const;
export type Flaw = (typeof FLAWS)[number];
interface Config { readonly flaw: Flaw }
interface Paging { readonly limit: number; readonly cursor?: string | undefined }

const CONFIG: ConfigSchema<Config> = {
  type: 'object', additionalProperties: false, properties: { flaw: { type: 'string', default: 'none', description: 'What is wrong with it' } },
};

/** A queue in memory that does everything right, but for one flaw. */
@Adapter<Config, QueueCapabilities>({
  id: 'testing::queue::adapters::FlawedQueue', slot: QueueSlot, summary: 'A flawed queue', stability: 'development', since: '0.1.0', config: CONFIG,
  capabilities: ({ flaw }) => ({
    durable: flaw === 'claims_durable', ordering: 'per_key', delayed: true, dedupe: true, multiEngine: false, takeOverMs: 0, counts: 'exact', commit: [], maxMessageBytes: 1_000_000,
  }),
  variants: Object.fromEntries(FLAWS.map((flaw) => [flaw, { flaw }])),
})
export class FlawedQueue extends MapQueue {
  private calls = 0;

  constructor(@InjectConfig() private readonly config: Config) {
    super();
  }

  override async changeSubscriptions(changes: readonly SubscriptionChange[]): Promise<void> {
    if (this.has('unrouted_lost')) this.kept.expireUnrouted(Infinity);
    if (this.has('unrouted_to_first')) for (const change of changes) await super.changeSubscriptions([change]);
    else await super.changeSubscriptions(changes);
    if (this.has('retire_drops')) this.dead.remove(this.dead.select({ reason: 'subscription_retired' }));
  }

  override async enqueueMany(batches: readonly (readonly NewMessage[])[], limits: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    const { maxWaiting } = this.has('limit_ignored') ? { maxWaiting: Infinity } : limits;
    if (this.has('calls_overtake') && (this.calls += 1) % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    if (this.has('dedupe_forgets_done') && this.kept.all().some(({ deliveries }) => deliveries.size === 0)) this.used.clear();
    const scope = (message: NewMessage): NewMessage => (this.has('dedupe_everywhere') ? { ...message, dedupeKey: message.dedupeKey && 'same' } : message);
    const group = (message: NewMessage): NewMessage => (this.has('proto_group') && message.groupId === '__proto__' ? { ...message, groupId: undefined } : message);
    if (!this.has('batch_torn')) return super.enqueueMany(batches.map((batch) => batch.map((message) => group(scope(message)))), { maxWaiting });
    return batches.map((batch) => batch.map((message) => this.enqueue([message], maxWaiting)).find(({ ok }) => !ok) ?? { ok: true, ids: batch.map(({ id }) => id) });
  }

  override async claimMany(requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> {
    const key = requests[0] as ClaimRequest;
    const subscription = this.kept.get(key);
    const stored = subscription?.stored as StoredSubscription;
    if (this.has('first_subscriber_only') && key.step === 'b') return [];
    if (this.has('early')) for (const delivery of subscription?.deliveries.values() ?? []) delivery.dueAt = Math.max(0, delivery.dueAt - 1);
    if (subscription && this.has('paused_claimed')) subscription.stored = { ...stored, paused: false };
    if (subscription && this.has('fifo_passes_waiting') && [...subscription.deliveries.values()].some(({ dueAt }) => dueAt > this.now())) {
      subscription.stored = { ...stored, fifo: false };
    }
    const claims = await super.claimMany(requests, leaseMs);
    if (subscription) subscription.stored = stored;
    return this.has('newest_first') ? [...claims].reverse() : claims;
  }

  override async statistics(): Promise<readonly SubscriptionStatistics[]> {
    const statistics = await super.statistics();
    return this.has('oldest_wrong') ? statistics.map((one) => ({ ...one, oldest: one.oldest && this.now() })) : statistics;
  }

  override async purge(key: SubscriptionKey): Promise<number> {
    if (this.has('purge_takes_claimed')) for (const delivery of this.kept.get(key)?.deliveries.values() ?? []) delivery.epoch = undefined;
    return super.purge(key);
  }

  override async deadLetters(selection: DeadLetterSelection, page: Paging): Promise<DeadLetterPage> {
    const found = await super.deadLetters(selection, page);
    return this.has('letters_oldest_first') ? { ...found, items: [...found.items].reverse() } : found;
  }

  override async redrive(redrive: Redrive): Promise<number> {
    const count = await super.redrive(redrive);
    for (const { deliveries } of this.kept.all()) {
      const last = [...deliveries.values()].at(-1);
      if (last && this.has('redrive_new_id')) Object.assign(last, { message: { ...last.message, id: `${last.message.id}'` } });
      if (last && this.has('redrive_keeps_progress')) last.progress = { attempts: 10, deaths: 0, history: '' };
    }
    return count;
  }

  override async expire(expiry: QueueExpiry): Promise<QueueExpired> {
    if (!this.has('expire_counts_retired')) return super.expire(expiry);
    const gone = this.dead.select({}).slice(0, -expiry.maxDead);
    this.dead.remove(gone);
    return super.expire(expiry);
  }

  protected override claimed(claim: DeliveryClaim): MapDelivery | undefined {
    return this.has('stale_claims') ? this.kept.get(claim)?.deliveries.get(claim.deliveryId) : super.claimed(claim);
  }

  protected override nextEpoch(): string {
    return this.has('epochs_repeat') ? `${Math.floor(Math.random() * 4)}` : super.nextEpoch();
  }

  protected override settle(settlement: Settlement): boolean {
    const lost = { attempts: 0, deaths: 0, history: '' };
    return super.settle(this.has('progress_lost') && settlement.action === 'return' ? { ...settlement, progress: lost } : settlement);
  }

  protected override tell(...args: Parameters<MapQueue['tell']>): void {
    if (!this.has('silent')) super.tell(...args);
  }

  private has(flaw: Flaw): boolean {
    return this.config.flaw === flaw;
  }
}

export default definePlugin({ name: '@treadle/flawed-queue', version: '0.1.0', api: '*', adapters: [FlawedQueue] });
