import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import {
  Adapter, type ClaimRequest, type DeadLetterPage, type DeliveryClaim, definePlugin, type EnqueueOutcome, InjectConfig, type ModuleContext, type NewMessage,
  type PeekedDelivery, type QueueAdapter, type QueueCapabilities, type QueueDelivery, type QueueExpired, QueueSlot, type Settlement, type StoredSubscription,
  type SubscriptionChange, type SubscriptionKey, type SubscriptionStatistics, type Unsubscribe,
} from '@treadle/api';
import { SHARING_FLAWS, type SharingFlaw } from './common-queue.fixture.js';
import type { StoreMessage } from './queue-server.fixture.js';

const HEARTBEAT_MS = 300;

interface Config {
  readonly port: number;
  readonly flaw: SharingFlaw;
}

/** A queue adapter for several engines: what it does is a `QueueServer`'s. */
@Adapter<Config, QueueCapabilities>({
  id: 'testing::queue::adapters::CommonQueue', slot: QueueSlot, summary: 'A queue that engines share', stability: 'development', since: '0.1.0',
  config: {
    type: 'object', additionalProperties: false,
    properties: { port: { type: 'integer', default: 1, description: 'Of the store' }, flaw: { type: 'string', default: 'none', description: 'What is wrong with it' } },
  },
  capabilities: {
    durable: true, ordering: 'per_key', delayed: true, dedupe: true, multiEngine: true, takeOverMs: 2_000, counts: 'exact', commit: [], maxMessageBytes: 1_000_000,
  },
  variants: Object.fromEntries(SHARING_FLAWS.map((flaw) => [flaw, { flaw, port: 1 }])),
})
export class CommonQueueAdapter implements QueueAdapter {
  private readonly member = randomUUID();
  private readonly waiting = new Map<number, (value: unknown) => void>();
  private readonly dueListeners = new Set<(key: SubscriptionKey) => void>();
  private readonly changeListeners = new Set<() => void>();
  private socket: Socket | undefined;
  private asked = 0;
  /** The store's time less the engine's; milliseconds. */
  private offset = 0;
  private beating: NodeJS.Timeout | undefined;

  constructor(@InjectConfig() private readonly config: Config) {}

  async init({ clock }: ModuleContext): Promise<void> {
    const socket = this.socket = connect({ port: this.config.port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    createInterface(socket).on('error', () => undefined).on('line', (line) => this.take(JSON.parse(line) as StoreMessage));
    if (this.config.flaw !== 'time_of_engine') this.offset = await this.ask<number>('hear') - clock.now();
    this.beating = setInterval(() => void this.ask('hear'), HEARTBEAT_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.beating);
    if (this.socket && !this.socket.destroyed) await this.ask('leave');
    this.socket?.destroy();
  }

  subscriptions = (): Promise<readonly StoredSubscription[]> => this.ask('subscriptions');
  changeSubscriptions = (changes: readonly SubscriptionChange[]): Promise<void> => this.ask('changeSubscriptions', changes);
  claimMany = (requests: readonly ClaimRequest[], leaseMs: number): Promise<readonly QueueDelivery[]> => this.ask('claimMany', requests, leaseMs);
  renewMany = (claims: readonly DeliveryClaim[], leaseMs: number): Promise<readonly boolean[]> => this.ask('renewMany', claims, leaseMs);
  statistics = (): Promise<readonly SubscriptionStatistics[]> => this.ask('statistics');
  unrouted = (): Promise<readonly { readonly topic: string; readonly count: number; readonly oldest: number }[]> => this.ask('unrouted');
  peek = (...args: Parameters<QueueAdapter['peek']>): Promise<readonly PeekedDelivery[]> => this.ask('peek', ...args);
  purge = (key: SubscriptionKey): Promise<number> => this.ask('purge', key);
  deadLetters = (...args: Parameters<QueueAdapter['deadLetters']>): Promise<DeadLetterPage> => this.ask('deadLetters', ...args);
  deadLetterCounts = (): Promise<readonly (SubscriptionKey & { readonly count: number })[]> => this.ask('deadLetterCounts');
  redrive = (...args: Parameters<QueueAdapter['redrive']>): Promise<number> => this.ask('redrive', ...args);
  discard = (...args: Parameters<QueueAdapter['discard']>): Promise<number> => this.ask('discard', ...args);
  expire = (...args: Parameters<QueueAdapter['expire']>): Promise<QueueExpired> => this.ask('expire', ...args);

  enqueueMany(batches: readonly (readonly NewMessage[])[], limits: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    const stored = batches.map((batch) => batch.map((message) => ({
      ...message, enqueuedAt: message.enqueuedAt + this.offset, ...message.dueAt !== undefined && { dueAt: message.dueAt + this.offset },
    })));
    return this.ask('enqueueMany', stored, limits);
  }

  settleMany(settlements: readonly Settlement[]): Promise<readonly boolean[]> {
    return this.ask('settleMany', settlements.map((one) => (
      one.action === 'return' && one.dueAt !== undefined ? { ...one, dueAt: one.dueAt + this.offset } : one)));
  }

  onDue(listener: (key: SubscriptionKey) => void): Unsubscribe {
    this.dueListeners.add(listener);
    return () => void this.dueListeners.delete(listener);
  }

  onSubscriptions(listener: () => void): Unsubscribe {
    this.changeListeners.add(listener);
    return () => void this.changeListeners.delete(listener);
  }

  private ask<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    this.asked += 1;
    const id = this.asked;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve as (value: unknown) => void);
      this.socket?.write(`${JSON.stringify({ id, method, args: [this.member, ...args] })}\n`);
    });
  }

  private take(message: StoreMessage): void {
    if ('due' in message) for (const listener of this.dueListeners) listener(message.due as SubscriptionKey);
    else if ('subscriptions' in message) {
      if (message.from !== this.member) for (const listener of this.changeListeners) listener();
    } else {
      this.waiting.get(message.id)?.(message.value);
      this.waiting.delete(message.id);
    }
  }
}

export default definePlugin({ name: '@treadle/common-queue', version: '0.1.0', api: '*', adapters: [CommonQueueAdapter] });
