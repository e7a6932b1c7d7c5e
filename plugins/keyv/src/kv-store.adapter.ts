import { resolve } from 'node:path';
import {
  Adapter, EngineInfo, Inject, InjectConfig, type ModuleContext, type PendingChange, type StateAdapter, type StateCapabilities,
  type StateEntry, type StateGroupPage, type StateListOptions, type StatePage, StateSlot, type StateWrite, type StateWriteResult, type Timer,
} from '@treadle/api';
import { FileDriver } from './driver/file-driver.js';
import type { KvDriver } from './driver/kv-driver.js';
import { MemoryDriver } from './driver/memory-driver.js';
import { KvStateStore } from './kv-state-store.js';
import { KV_STORE_CONFIG, type KvStoreConfig } from './kv-store.config.js';

type Paging = StateListOptions & { readonly limit: number };

const SWEEP_MS = 60_000;

/** State on keyv, in memory or in a file of @keyv/sqlite; one process owns it. */
@Adapter<KvStoreConfig, StateCapabilities>({
  id: 'modules::state::adapters::KvStore',
  slot: StateSlot,
  summary: 'State in memory or in a file, on keyv',
  stability: 'beta',
  since: '0.1.0',
  config: KV_STORE_CONFIG,
  capabilities: ({ store_method }) => ({
    durable: store_method === 'file_based', atomicUpdate: 'process', compareAndSet: true, listing: true, ttl: 'ms', multiEngine: false,
    maxValueBytes: 1_048_576,
  }),
  variants: {
    in_memory: { store_method: 'in_memory', file_path: 'kv_store.db' },
    file_based: { store_method: 'file_based', file_path: 'kv_store.db' },
  },
})
export class KvStore implements StateAdapter {
  private store: KvStateStore | undefined;
  private timer: Timer | undefined;

  constructor(@InjectConfig() private readonly config: KvStoreConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  /** @throws {TreadleError} FILE_NOT_WRITABLE, SERVICE_UNAVAILABLE */
  async init(context: ModuleContext): Promise<void> {
    const store = this.store = await KvStateStore.open(await this.openDriver(context), context.clock);
    this.timer = context.clock.every(SWEEP_MS, () => {
      store.sweep().catch((error: unknown) => context.log.warn('expired state could not be removed', { reason: String(error) }));
    });
  }

  /** The driver itself is closed by the engine, after the last adapter that shares it. */
  async stop(): Promise<void> {
    const { store } = this;
    this.store = undefined;
    this.timer?.cancel();
    await store?.close();
  }

  get(group: string, key: string): Promise<StateEntry | undefined> {
    return this.opened().get(group, key);
  }

  write(write: StateWrite): Promise<StateWriteResult> {
    return this.opened().write(write);
  }

  list(group: string, options: Paging): Promise<StatePage> {
    return this.opened().list(group, options);
  }

  listGroups(options: Paging): Promise<StateGroupPage> {
    return this.opened().listGroups(options);
  }

  clear(group: string): Promise<number> {
    return this.opened().clear(group);
  }

  pendingChanges(limit: number): Promise<readonly PendingChange[]> {
    return this.opened().pendingChanges(limit);
  }

  settleChanges(ids: readonly string[]): Promise<void> {
    return this.opened().settleChanges(ids);
  }

  private opened(): KvStateStore {
    if (this.store) return this.store;
    throw new Error('the store is not open');
  }

  private async openDriver(context: ModuleContext): Promise<KvDriver> {
    if (this.config.store_method === 'in_memory') {
      context.log.info('state is kept in memory and lost when the engine ends');
      return new MemoryDriver();
    }
    const file = resolve(this.engine.dataDir, this.config.file_path);
    return context.shared<KvDriver>(`kv_store ${file}`, () => FileDriver.open(file), (driver) => driver.close());
  }
}
