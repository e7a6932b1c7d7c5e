import {
  Adapter, EngineInfo, Inject, InjectConfig, type Json, type ModuleContext, type PendingStreamChange, type SharedStreams, type StateEntry,
  type StateGroupPage, type StateListOptions, type StreamAdapter, type StreamCapabilities, type StreamEvent, type StreamGroup, type StreamItem,
  type StreamPosition, StreamSlot, type StreamWrite, type StreamWriteResult, type Unsubscribe, type StoreTransfer, type TransferContext, StorePart,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { PostgresTransfer } from '../transfer/postgres-transfer.js';
import { streamTransfer } from './stream-transfer.js';
import type { PgStore } from '../store/pg-store.js';
import { databaseStore, POSTGRES_DEFAULTS, PostgresConfig, sharedDatabase } from '../store/store.config.js';
import { StreamStore } from './stream-store.js';

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
    now: () => this.opened.store.time.now(),
    follow: (group, anew) => this.opened.part.follow(group, anew),
    eventsAfter: (group, position, limit) => this.opened.part.reader.eventsAfter(group, position, limit),
    changes: {
      lead: (leaseMs) => this.opened.part.changes.lead(leaseMs),
      onChanges: (listener) => this.opened.part.changes.onChanges(listener),
    },
  };
  private readonly opened = new StorePart<PgStore, StreamStore>('stream');

  constructor(@InjectConfig() private readonly config: PostgresConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.engine, this.config), (store) => StreamStore.open(store, context.log));
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
    return this.opened.part.snapshot(group);
  }

  async listGroups(stream: string, options: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    return this.opened.part.listGroups(stream, options);
  }

  async send(group: StreamGroup, event: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void> {
    await this.opened.part.send(group, event);
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    return this.opened.part.watch(listener);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    return this.opened.part.pendingChanges(limit, after);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.opened.part.reader.settleChanges(ids);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return PostgresTransfer.open(context, this.config, streamTransfer);
  }
}
