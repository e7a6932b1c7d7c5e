import {
  Adapter, type CronCapabilities, CronSlot, EngineInfo, Inject, InjectConfig, type ModuleContext, type OpenCronTable, SharedCronAdapter, type StoreTransfer, type TransferContext,
} from '@treadle/api';
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
export class PostgresCronAdapter extends SharedCronAdapter {
  constructor(@InjectConfig() private readonly config: PostgresConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {
    super();
  }

  protected async open(context: ModuleContext): Promise<OpenCronTable> {
    const { store, leave } = await useStore(context, this.engine, this.config);
    return { table: new CronTable(store), leave };
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return PostgresTransfer.open(context, this.config, cronTransfer);
  }
}
