import {
  Adapter, type ClearChanges, InjectConfig, type ModuleContext, type PendingChange, type SharedChanges,
  type StateAdapter, type StateCapabilities, type StateEntry, type StateGroupPage, type StatePage, StateSlot, type StateWrite, type StateWriteResult,
  type StoreTransfer, type TransferContext, StorePart,
} from '@treadle/api';
import type { RedisStore } from '../store/redis-store.js';
import { useStore } from '../store/shared-store.js';
import { prefixStore, REDIS_DEFAULTS, RedisConfig, sharedDatabase } from '../store/store.config.js';
import { RedisTransfer } from '../transfer/redis-transfer.js';
import type { PageOptions } from './state-reader.js';
import { StateStore } from './state-store.js';
import { stateTransfer } from './state-transfer.js';

/** Keeps state in Redis, for any number of engines; updates are atomic over all of them. */
@Adapter<RedisConfig, StateCapabilities>({
  id: 'modules::state::adapters::Redis',
  slot: StateSlot,
  summary: 'Keeps state in Redis, for several engines.',
  stability: 'beta',
  since: '0.1.0',
  config: RedisConfig,
  capabilities: { durable: true, atomicUpdate: 'store', compareAndSet: true, listing: true, ttl: 'ms', multiEngine: true, maxValueBytes: 1_000_000 },
  shares: sharedDatabase,
  store: prefixStore,
  variants: { redis: REDIS_DEFAULTS },
})
export class RedisStateAdapter implements StateAdapter {
  readonly shared: SharedChanges = {
    lead: (leaseMs) => this.state.changes.lead(leaseMs),
    onChanges: (listener) => this.state.changes.onChanges(listener),
  };
  private readonly opened = new StorePart<RedisStore, StateStore>('state');

  constructor(@InjectConfig() private readonly config: RedisConfig) {}

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.config), (store) => StateStore.open(store));
  }

  async stop(): Promise<void> {
    await this.opened.close();
  }

  async get(group: string, key: string): Promise<StateEntry | undefined> {
    return this.state.get(group, key);
  }

  async write(write: StateWrite): Promise<StateWriteResult> {
    return this.state.write(write);
  }

  async list(group: string, options: PageOptions): Promise<StatePage> {
    return this.state.reader.list(group, options);
  }

  async listGroups(options: PageOptions): Promise<StateGroupPage> {
    return this.state.reader.listGroups(options);
  }

  async clear(group: string, changes?: ClearChanges): Promise<number> {
    return this.state.clear(group, changes);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingChange[]> {
    return this.state.reader.pendingChanges(limit, after);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.state.changes.settle(ids);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return RedisTransfer.open(context, this.config, stateTransfer);
  }

  private get state(): StateStore {
    return this.opened.part;
  }
}
