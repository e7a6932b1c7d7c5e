import {
  Adapter, type ClearChanges, EngineInfo, Inject, InjectConfig, type ModuleContext, type PendingChange, type SharedChanges,
  type StateAdapter, type StateCapabilities, type StateEntry, type StateGroupPage, type StatePage, StateSlot, type StateWrite, type StateWriteResult, type StoreTransfer, type TransferContext, StorePart,
} from '@treadle/api';
import type { PgStore } from '../store/pg-store.js';
import { useStore } from '../store/shared-store.js';
import { PostgresTransfer } from '../transfer/postgres-transfer.js';
import { stateTransfer } from './state-transfer.js';
import { databaseStore, POSTGRES_DEFAULTS, PostgresConfig, sharedDatabase } from '../store/store.config.js';
import type { PageOptions } from './state-reader.js';
import { StateStore } from './state-store.js';

/** Keeps state in PostgreSQL, for any number of engines; updates are atomic over all of them. */
@Adapter<PostgresConfig, StateCapabilities>({
  id: 'modules::state::adapters::Postgres',
  slot: StateSlot,
  summary: 'Keeps state in PostgreSQL, for several engines; acknowledged writes survive a power cut.',
  stability: 'beta',
  since: '0.1.0',
  config: PostgresConfig,
  capabilities: { durable: true, atomicUpdate: 'store', compareAndSet: true, listing: true, ttl: 'ms', multiEngine: true, maxValueBytes: 1_000_000 },
  shares: sharedDatabase,
  store: databaseStore,
  variants: { postgres: POSTGRES_DEFAULTS },
})
export class PostgresStateAdapter implements StateAdapter {
  readonly shared: SharedChanges = {
    lead: (leaseMs) => this.state.changes.lead(leaseMs),
    onChanges: (listener) => this.state.changes.onChanges(listener),
  };
  private readonly opened = new StorePart<PgStore, StateStore>('state');

  constructor(@InjectConfig() private readonly config: PostgresConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.engine, this.config), (store) => new StateStore(store));
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
    await this.state.reader.settleChanges(ids);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return PostgresTransfer.open(context, this.config, stateTransfer);
  }

  private get state(): StateStore {
    return this.opened.part;
  }
}
