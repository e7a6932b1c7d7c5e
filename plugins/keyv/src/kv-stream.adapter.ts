import {
  Adapter, EngineInfo, Inject, InjectConfig, type Json, type ModuleContext, OperationError, type PendingStreamChange, type StateEntry, type StateGroupPage,
  type StateListOptions, type StreamAdapter, type StreamCapabilities, type StreamEvent, type StreamGroup, type StreamItem, type StreamPosition,
  StreamSlot, type StreamWrite, type StreamWriteResult, type Timer, type Unsubscribe, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { openDriver, openTransfer } from './driver/open-driver.js';
import { streamKinds } from './transfer/stream-kinds.js';
import { KV_STORE_CONFIG, KV_STORE_VARIANTS, type KvStoreConfig } from './kv-store.config.js';
import { KvStreamStore } from './kv-stream-store.js';

const SWEEP_MS = 60_000;

/** Streams on keyv, in memory or in a file of SQLite; one process owns it. */
@Adapter<KvStoreConfig, StreamCapabilities>({
  id: 'modules::stream::adapters::KvStore',
  slot: StreamSlot,
  summary: 'Streams in memory or in a file, on keyv',
  stability: 'beta',
  since: '0.1.0',
  config: KV_STORE_CONFIG,
  capabilities: ({ store_method }) => ({
    durable: store_method === 'file_based', resumes: store_method === 'file_based' ? 'clean_stop' : 'never', multiEngine: false,
    maxItemBytes: 1_000_000,
  }),
  variants: KV_STORE_VARIANTS,
})
export class KvStreamAdapter implements StreamAdapter {
  private leave: (() => void) | undefined;
  private store: KvStreamStore | undefined;
  private timer: Timer | undefined;

  constructor(@InjectConfig() private readonly config: KvStoreConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  /** @throws {TreadleError} FILE_NOT_WRITABLE, SERVICE_UNAVAILABLE */
  async init(context: ModuleContext): Promise<void> {
    const driver = await openDriver(context, this.engine, this.config, 'streams are kept in memory and lost when the engine ends');
    this.leave = driver.join(context);
    const store = this.store = await KvStreamStore.open(driver, context);
    this.timer = context.clock.every(SWEEP_MS, () => {
      store.sweep().catch((error: unknown) => context.log.warn('streams that nobody uses could not be let go', { reason: String(error) }));
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

  async get(group: StreamGroup, id: string): Promise<StateEntry | undefined> {
    return this.opened().get(group, id);
  }

  async write(write: StreamWrite): Promise<StreamWriteResult> {
    return this.opened().write(write);
  }

  async snapshot(group: StreamGroup): Promise<{ readonly items: readonly StreamItem[]; readonly position: StreamPosition }> {
    return this.opened().snapshot(group);
  }

  async listGroups(stream: string, options: StateListOptions & { readonly limit: number }): Promise<StateGroupPage> {
    return this.opened().listGroups(stream, options);
  }

  async send(group: StreamGroup, event: { readonly id?: string | undefined; readonly type: string; readonly data: Json }): Promise<void> {
    await this.opened().send(group, event);
  }

  watch(listener: (event: StreamEvent) => void): Unsubscribe {
    return this.opened().watch(listener);
  }

  async pendingChanges(limit: number, after?: string): Promise<readonly PendingStreamChange[]> {
    return this.opened().pendingChanges(limit, after);
  }

  async settleChanges(ids: readonly string[]): Promise<void> {
    await this.opened().settleChanges(ids);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return openTransfer(context, this.engine, this.config, streamKinds);
  }

  private opened(): KvStreamStore {
    if (this.store) return this.store;
    throw new OperationError('StorageClosed', 'the stream adapter is not open');
  }
}
