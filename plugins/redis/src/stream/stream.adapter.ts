import {
  Adapter, InjectConfig, type Json, type ModuleContext, type PendingStreamChange, type SharedStreams, type StateEntry,
  type StateGroupPage, type StateListOptions, type StreamAdapter, type StreamCapabilities, type StreamEvent, type StreamGroup, type StreamItem,
  type StoreTransfer, type StreamPosition, StreamSlot, type StreamWrite, type StreamWriteResult, type TransferContext, type Unsubscribe, StorePart,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import type { RedisStore } from '../store/redis-store.js';
import { prefixStore, REDIS_DEFAULTS, RedisConfig, sharedDatabase } from '../store/store.config.js';
import { RedisTransfer } from '../transfer/redis-transfer.js';
import { StreamStore } from './stream-store.js';
import { streamTransfer } from './stream-transfer.js';

/** Keeps the items of streams, and the one order of their events, in Redis, for any number of engines. */
@Adapter<RedisConfig, StreamCapabilities>({
  id: 'modules::stream::adapters::Redis',
  slot: StreamSlot,
  summary: 'Keeps streams in Redis, for several engines; clients resume at any of them.',
  stability: 'beta',
  since: '0.1.0',
  config: RedisConfig,
  capabilities: { durable: true, resumes: 'always', multiEngine: true, maxItemBytes: 1_000_000 },
  shares: sharedDatabase,
  store: prefixStore,
  variants: { redis: REDIS_DEFAULTS },
})
export class RedisStreamAdapter implements StreamAdapter {
  readonly shared: SharedStreams = {
    now: () => this.opened.store.time.now(),
    follow: (group, anew) => this.opened.part.follow(group, anew),
    eventsAfter: (group, position, limit) => this.opened.part.reader.eventsAfter(group, position, limit),
    changes: {
      lead: (leaseMs) => this.opened.part.changes.lead(leaseMs),
      onChanges: (listener) => this.opened.part.changes.onChanges(listener),
    },
  };
  private readonly opened = new StorePart<RedisStore, StreamStore>('stream');

  constructor(@InjectConfig() private readonly config: RedisConfig) {}

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.config), (store) => StreamStore.open(store, context.log));
  }

  async stop(): Promise<void> {
    await this.opened.close();
  }

  async get(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return this.opened.part.get(group, id);
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    return this.opened.part.write(write);
  }

  async snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    return this.opened.part.reader.snapshot(group);
  }

  async listGroups(stream: string, options: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    return this.opened.part.reader.listGroups(stream, options);
  }

  async send(group: StreamGroup, event: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void> {
    await this.opened.part.send(group, event);
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    return this.opened.part.watch(listener);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    return this.opened.part.reader.pendingChanges(limit, after);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.opened.part.changes.settle(ids);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return RedisTransfer.open(context, this.config, streamTransfer);
  }
}
