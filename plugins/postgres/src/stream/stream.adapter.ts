import {
  Adapter, EngineInfo, Inject, InjectConfig, type Json, type ModuleContext, OperationError, type PendingStreamChange, type SharedStreams, type StateEntry,
  type StateGroupPage, type StateListOptions, type StreamAdapter, type StreamCapabilities, type StreamEvent, type StreamGroup, type StreamItem,
  type StreamPosition, StreamSlot, type StreamWrite, type StreamWriteResult, type Unsubscribe, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { PostgresTransfer } from '../transfer/postgres-transfer.js';
import { streamTransfer } from './stream-transfer.js';
import type { PgStore } from '../store/pg-store.js';
import { databaseStore, POSTGRES_DEFAULTS, PostgresConfig, sharedDatabase } from '../store/store.config.js';
import { StreamStore } from './stream-store.js';

/** What there is between init and stop. */
interface Working {
  readonly streams: StreamStore;
  readonly store: PgStore;
  leave(): void;
}

/** Keeps the items of streams, and the one order of their events, in PostgreSQL, for any number of engines. */
@Adapter<PostgresConfig, StreamCapabilities>({
  id: 'modules::stream::adapters::Postgres',
  slot: StreamSlot,
  summary: 'Keeps streams in PostgreSQL, for several engines; clients resume at any of them.',
  stability: 'beta',
  since: '0.1.0',
  config: PostgresConfig,
  capabilities: { durable: true, resumes: 'always', multiEngine: true, maxItemBytes: 1_000_000 },
  shares: sharedDatabase,
  store: databaseStore,
  variants: { postgres: POSTGRES_DEFAULTS },
})
export class PostgresStreamAdapter implements StreamAdapter {
  readonly shared: SharedStreams = {
    now: () => this.open.store.time.now(),
    follow: (group) => this.open.streams.follow(group),
    eventsAfter: (group, position, limit) => this.open.streams.reader.eventsAfter(group, position, limit),
    changes: {
      lead: (leaseMs) => this.open.streams.changes.lead(leaseMs),
      onChanges: (listener) => this.open.streams.changes.onChanges(listener),
    },
  };
  private working: Working | undefined;

  constructor(@InjectConfig() private readonly config: PostgresConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    const { store, leave } = await useStore(context, this.engine, this.config);
    const streams = await StreamStore.open(store, context.log);
    this.working = {
      streams,
      store,
      leave: () => {
        streams.close();
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

  async get(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return this.open.streams.get(group, id);
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    return this.open.streams.write(write);
  }

  async snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    return this.open.streams.snapshot(group);
  }

  async listGroups(stream: string, options: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    return this.open.streams.listGroups(stream, options);
  }

  async send(group: StreamGroup, event: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void> {
    await this.open.streams.send(group, event);
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    return this.open.streams.watch(listener);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    return this.open.streams.pendingChanges(limit, after);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.open.streams.reader.settleChanges(ids);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return PostgresTransfer.open(context, this.config, streamTransfer);
  }

  private get open(): Working {
    if (!this.working) throw new OperationError('StorageClosed', 'the stream adapter is not open');
    return this.working;
  }
}
