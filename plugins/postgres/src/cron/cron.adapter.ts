import {
  Adapter, type CronCapabilities, CronSlot, EngineInfo, Inject, InjectConfig, type ModuleContext, SharedCronAdapter, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import type { PgStore } from '../store/pg-store.js';
import { useStore } from '../store/shared-store.js';
import { PostgresTransfer } from '../transfer/postgres-transfer.js';
import { cronTransfer } from './cron-transfer.js';
import { databaseStore, POSTGRES_DEFAULTS, PostgresConfig, sharedDatabase } from '../store/store.config.js';
import { CronTable } from './cron-table.js';

/** Keeps ticks and runs of cron triggers in PostgreSQL: each tick runs once, whichever of the engines does it. */
@Adapter<PostgresConfig, CronCapabilities>({
  id: 'modules::cron::adapters::Postgres',
  slot: CronSlot,
  summary: 'Keeps cron runs in PostgreSQL, for several engines; each tick runs once.',
  stability: 'beta',
  since: '0.1.0',
  config: PostgresConfig,
  capabilities: { durable: true, multiEngine: true },
  shares: sharedDatabase,
  store: databaseStore,
  variants: { postgres: POSTGRES_DEFAULTS },
})
export class PostgresCronAdapter extends SharedCronAdapter<PgStore> {
  constructor(@InjectConfig() private readonly config: PostgresConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {
    super();
  }

  async init(context: ModuleContext): Promise<void> {
    await this.opened.open(context, await useStore(context, this.engine, this.config), (store) => new CronTable(store));
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return PostgresTransfer.open(context, this.config, cronTransfer);
  }
}
