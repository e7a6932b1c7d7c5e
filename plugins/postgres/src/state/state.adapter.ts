import {
  Adapter, type ClearChanges, EngineInfo, Inject, InjectConfig, type ModuleContext, OperationError, type PendingChange, type SharedChanges,
  type StateAdapter, type StateCapabilities, type StateEntry, type StateGroupPage, type StatePage, StateSlot, type StateWrite, type StateWriteResult, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { PostgresTransfer } from '../transfer/postgres-transfer.js';
import { stateTransfer } from './state-transfer.js';
import { databaseStore, POSTGRES_DEFAULTS, PostgresConfig, sharedDatabase } from '../store/store.config.js';
import type { PageOptions } from './state-reader.js';
import { StateStore } from './state-store.js';

/** What there is between init and stop. */
interface Working {
  readonly state: StateStore;
  leave(): void;
}

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
  private working: Working | undefined;

  constructor(@InjectConfig() private readonly config: PostgresConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    const { store, leave } = await useStore(context, this.engine, this.config);
    const state = new StateStore(store);
    this.working = {
      state,
      leave: () => {
        state.close();
        leave();
      },
    };
  }

  async stop(): Promise<void> {
    const { working } = this;
    this.working = undefined;
    working?.leave();
    return Promise.resolve();
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
    if (!this.working) throw new OperationError('StorageClosed', 'the state adapter is not open');
    return this.working.state;
  }
}
