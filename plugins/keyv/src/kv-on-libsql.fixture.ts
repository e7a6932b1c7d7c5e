import { resolve } from 'node:path';
import { Adapter, definePlugin, EngineInfo, Inject, InjectConfig, type ModuleContext, type StateCapabilities, StateSlot } from '@treadle/api';
import { FileDriver } from './driver/file-driver.js';
import { loadLibsql } from './driver/sql-store.js';
import { KvStore } from './kv-store.adapter.js';
import { KV_STORE_CONFIG, KV_STORE_VARIANTS, type KvStoreConfig } from './kv-store.config.js';

/** `KvStore` as it is where @keyv/sqlite is not installed: its file is opened beforehand, through libsql. */
@Adapter<KvStoreConfig, StateCapabilities>({
  id: 'acme::state::adapters::KvOnLibsql', slot: StateSlot, summary: 'State in a file, on keyv and libsql', stability: 'alpha', since: '0.1.0',
  config: KV_STORE_CONFIG,
  capabilities: { durable: true, atomicUpdate: 'process', compareAndSet: true, listing: true, ttl: 'ms', multiEngine: false, maxValueBytes: 1_048_576 },
  variants: { file_based: KV_STORE_VARIANTS.file_based },
})
export class KvOnLibsql extends KvStore {
  private readonly file: string;

  constructor(@InjectConfig() config: KvStoreConfig, @Inject(EngineInfo) engine: EngineInfo) {
    super(config, engine);
    this.file = resolve(engine.dataDir, config.file_path);
  }

  override async init(context: ModuleContext): Promise<void> {
    await context.shared<FileDriver>(`kv_store ${this.file}`, () => FileDriver.open(this.file, loadLibsql), (driver) => driver.close());
    await super.init(context);
  }
}

export default definePlugin({ name: 'acme-kv-on-libsql', version: '0.1.0', api: '^0.1.0', adapters: [KvOnLibsql] });
