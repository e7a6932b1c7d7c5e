import {
  Adapter, EngineInfo, Inject, InjectConfig, type Json, type ModuleContext, OperationError, type PendingStreamChange, type StateEntry,
  type StateGroupPage, type StateListOptions, type StreamAdapter, type StreamCapabilities, type StreamEvent, type StreamGroup, type StreamItem,
  type StreamPosition, StreamSlot, type StreamWrite, type StreamWriteResult, type Timer, type Unsubscribe, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { openTransfer } from '../transfer/copied-store.js';
import { streamTransfer } from './stream-transfer.js';
import { sweepEvery } from '../store/sweeping.js';
import { StreamTable } from './stream-table.js';
import { SqliteStreamConfig, STREAM_DEFAULTS } from './stream.config.js';
import { sharedStore, storeId, storeVariants } from '../store/store.config.js';

const SWEEP_EVERY_MS = 60_000;

/** What there is between init and stop. */
interface Working {
  readonly table: StreamTable;
  readonly now: () => number;
  readonly sweeping: Timer;
  leave(): void;
}

/** Keeps the items of streams, and the order of their events, in the embedded store. */
@Adapter<SqliteStreamConfig, StreamCapabilities>({
  id: 'modules::stream::adapters::Sqlite',
  slot: StreamSlot,
  summary: 'Keeps streams in an embedded SQLite database; clients resume after a restart.',
  stability: 'beta',
  since: '0.1.0',
  config: SqliteStreamConfig,
  capabilities: (config) => ({
    durable: config.store_method === 'file_based', resumes: keepsEpoch(config) ? 'always' : 'never', multiEngine: false, maxItemBytes: 1_000_000,
  }),
  shares: sharedStore,
  store: storeId,
  variants: storeVariants(STREAM_DEFAULTS),
})
export class SqliteStreamAdapter implements StreamAdapter {
  private working: Working | undefined;

  constructor(@InjectConfig() private readonly config: SqliteStreamConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    const { clock, log } = context;
    const { store, leave } = await useStore(context, this.engine, this.config);
    const table = await StreamTable.of(store, { clock, log, keepsEpoch: keepsEpoch(this.config) });
    const sweeping = sweepEvery(SWEEP_EVERY_MS, context, () => table.sweep());
    this.working = { table, sweeping, leave, now: () => clock.now() };
  }

  async stop(): Promise<void> {
    const { working } = this;
    this.working = undefined;
    working?.sweeping.cancel();
    // Without the exact positions the next run skips the rest of each block.
    await working?.table.close().catch(() => undefined);
    working?.leave();
  }

  async get(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return this.open.table.get(group, id);
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    return this.open.table.write(write);
  }

  async snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    return this.open.table.snapshot(group);
  }

  async listGroups(stream: string, options: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    return Promise.resolve(this.open.table.listGroups(stream, options));
  }

  async send(group: StreamGroup, { id, type, data }: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void> {
    const { table, now } = this.open;
    await table.send(group, { id, event: { type: 'event', event: { type, data } }, timestamp: now() });
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    return this.open.table.watch(listener);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    return Promise.resolve(this.open.table.pendingChanges(limit, after));
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.open.table.settleChanges(ids);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return openTransfer(context, this.engine, this.config, streamTransfer);
  }

  private get open(): Working {
    if (!this.working) throw new OperationError('StorageClosed', 'the stream adapter is not open');
    return this.working;
  }
}

/** A power cut must not let a position be given twice, so only a store that syncs each commit goes on with its epoch. */
function keepsEpoch({ store_method, durability }: SqliteStreamConfig): boolean {
  return store_method === 'file_based' && durability === 'full';
}
