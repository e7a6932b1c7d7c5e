import {
  Adapter, type ClearChanges, EngineInfo, Inject, InjectConfig, type ModuleContext, OperationError, type PendingChange,
  type StateAdapter, type StateCapabilities, type StateEntry, type StateGroupPage, type StatePage, StateSlot, type StateWrite, type StateWriteResult,
  type Timer, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { openTransfer } from '../transfer/copied-store.js';
import { stateTransfer } from './state-transfer.js';
import { sweepEvery } from '../store/sweeping.js';
import type { PageOptions } from './state-reader.js';
import { StateTable } from './state-table.js';
import { SqliteStateConfig, STATE_DEFAULTS } from './state.config.js';
import { sharedStore, storeId, storeVariants } from '../store/store.config.js';

const SWEEP_EVERY_MS = 5_000;
const MB = 1_000_000;

/** What there is between init and stop. */
interface Working {
  readonly table: StateTable;
  readonly sweeping: Timer;
  leave(): void;
}

/** Keeps state in the embedded store. */
@Adapter<SqliteStateConfig, StateCapabilities>({
  id: 'modules::state::adapters::Sqlite',
  slot: StateSlot,
  summary: 'Keeps state in an embedded SQLite database; acknowledged writes survive a power cut.',
  stability: 'beta',
  since: '0.1.0',
  config: SqliteStateConfig,
  capabilities: (config) => ({
    durable: config.store_method === 'file_based', atomicUpdate: 'process', compareAndSet: true, listing: true, ttl: 'ms',
    multiEngine: false, maxValueBytes: 1_000_000,
  }),
  shares: sharedStore,
  store: storeId,
  variants: storeVariants(STATE_DEFAULTS),
})
export class SqliteStateAdapter implements StateAdapter {
  private working: Working | undefined;

  constructor(@InjectConfig() private readonly config: SqliteStateConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    const { store, leave } = await useStore(context, this.engine, this.config);
    const table = StateTable.of(store, context.clock, this.config.cache_mb * MB);
    this.working = { table, leave, sweeping: sweepEvery(SWEEP_EVERY_MS, context, () => table.sweep()) };
  }

  async stop(): Promise<void> {
    const { working } = this;
    this.working = undefined;
    working?.sweeping.cancel();
    working?.leave();
    return Promise.resolve();
  }

  async get(group: string, key: string): Promise<StateEntry | undefined> {
    return this.table.get(group, key);
  }

  async expiryOf(group: string, key: string): Promise<number | undefined> {
    return this.table.expiryOf(group, key);
  }

  async write(write: StateWrite): Promise<StateWriteResult> {
    return this.table.write(write);
  }

  async list(group: string, options: PageOptions): Promise<StatePage> {
    return this.table.list(group, options);
  }

  async listGroups(options: PageOptions): Promise<StateGroupPage> {
    return this.table.listGroups(options);
  }

  async clear(group: string, changes?: ClearChanges): Promise<number> {
    return this.table.clear(group, changes);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingChange[]> {
    return this.table.pendingChanges(limit, after);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.table.settleChanges(ids);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return openTransfer(context, this.engine, this.config, stateTransfer);
  }

  private get table(): StateTable {
    if (!this.working) throw new OperationError('StorageClosed', 'the state adapter is not open');
    return this.working.table;
  }
}
