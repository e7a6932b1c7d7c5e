import {
  Adapter, type ClearChanges, EngineInfo, Inject, InjectConfig, type ModuleContext, OperationError, type PendingChange, type StateAdapter, type StateCapabilities,
  type StateEntry, type StateGroupPage, type StateListOptions, type StatePage, StateSlot, type StateWrite, type StateWriteResult, type Timer, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { openDriver, openTransfer } from './driver/open-driver.js';
import { KvStateStore } from './kv-state-store.js';
import { stateKinds } from './transfer/state-kinds.js';
import { KV_STORE_CONFIG, KV_STORE_VARIANTS, type KvStoreConfig } from './kv-store.config.js';

type Paging = StateListOptions & { readonly limit: number };

const SWEEP_MS = 60_000;

/** State on keyv, in memory or in a file of SQLite; one process owns it. */
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
  variants: KV_STORE_VARIANTS,
})
export class KvStore implements StateAdapter {
  private leave: (() => void) | undefined;
  private store: KvStateStore | undefined;
  private timer: Timer | undefined;

  constructor(@InjectConfig() private readonly config: KvStoreConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  /** @throws {TreadleError} FILE_NOT_WRITABLE, SERVICE_UNAVAILABLE */
  async init(context: ModuleContext): Promise<void> {
    const driver = await openDriver(context, this.engine, this.config, 'state is kept in memory and lost when the engine ends');
    this.leave = driver.join(context);
    const store = this.store = await KvStateStore.open(driver, context.clock);
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
    this.leave?.();
    this.leave = undefined;
  }

  get(group: string, key: string): Promise<StateEntry | undefined> {
    return this.opened().get(group, key);
  }

  expiryOf(group: string, key: string): Promise<number | undefined> {
    return this.opened().expiryOf(group, key);
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

  clear(group: string, changes?: ClearChanges): Promise<number> {
    return this.opened().clear(group, changes);
  }

  pendingChanges(limit: number, after?: string): Promise<readonly PendingChange[]> {
    return this.opened().pendingChanges(limit, after);
  }

  settleChanges(ids: readonly string[]): Promise<void> {
    return this.opened().settleChanges(ids);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return openTransfer(context, this.engine, this.config, stateKinds);
  }

  private opened(): KvStateStore {
    if (this.store) return this.store;
    throw new OperationError('StorageClosed', 'the state adapter is not open');
  }
}
