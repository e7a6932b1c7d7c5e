import {
  Adapter, type CronAdapter, type CronCapabilities, type CronClaimed, type CronClaimRule, type CronKey, type CronRun, type CronSchedule, CronSlot,
  EngineInfo, Inject, InjectConfig, type ModuleContext, OperationError, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { openTransfer } from '../transfer/copied-store.js';
import { cronTransfer } from './cron-transfer.js';
import { CronTable } from './cron-table.js';
import { CRON_DEFAULTS, SqliteCronConfig } from './cron.config.js';
import { sharedStore, storeId, storeVariants } from '../store/store.config.js';

/** What there is between init and stop. */
interface Working {
  readonly table: CronTable;
  leave(): void;
}

/** Keeps ticks and runs in the embedded store. */
@Adapter<SqliteCronConfig, CronCapabilities>({
  id: 'modules::cron::adapters::Sqlite',
  aliases: ['modules::cron::KvCronAdapter'],
  slot: CronSlot,
  summary: 'Keeps ticks and runs in an embedded SQLite database; each tick has one record.',
  stability: 'beta',
  since: '0.1.0',
  config: SqliteCronConfig,
  capabilities: (config) => ({ durable: config.store_method === 'file_based', multiEngine: false }),
  shares: sharedStore,
  store: storeId,
  variants: storeVariants(CRON_DEFAULTS),
})
export class SqliteCronAdapter implements CronAdapter {
  private working: Working | undefined;

  constructor(@InjectConfig() private readonly config: SqliteCronConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    const { store, leave } = await useStore(context, this.engine, this.config);
    const table = CronTable.of(store, context.clock);
    table.join(this);
    this.working = { table, leave };
  }

  async stop(): Promise<void> {
    const { working } = this;
    this.working = undefined;
    working?.table.leave(this);
    working?.leave();
    return Promise.resolve();
  }

  async schedules(keys: readonly CronKey[], now: number): Promise<readonly CronSchedule[]> {
    return this.table.schedules(keys, now);
  }

  async setPaused(key: CronKey, paused: boolean, now: number, until?: number): Promise<void> {
    await this.table.setPaused(key, paused, now, until);
  }

  async claim(runs: readonly CronRun[], leaseMs: number, rule: CronClaimRule = { unlessRunning: false }): Promise<readonly CronClaimed[]> {
    return this.table.claim(runs, { leaseMs, rule, holder: this });
  }

  async orphans(): Promise<readonly CronRun[]> {
    return Promise.resolve(this.table.orphans());
  }

  async takeOver(run: CronRun, leaseMs: number): Promise<CronRun | undefined> {
    return this.table.takeOver(run, leaseMs, this);
  }

  async renew(ids: readonly string[], leaseMs: number): Promise<readonly string[]> {
    return Promise.resolve(this.table.renew(ids, leaseMs, this));
  }

  async running(key: CronKey): Promise<readonly CronRun[]> {
    return Promise.resolve(this.table.running(key));
  }

  async finish(runs: readonly CronRun[]): Promise<void> {
    await this.table.finish(runs, this);
  }

  async runs(key: CronKey, limit: number): Promise<readonly CronRun[]> {
    return Promise.resolve(this.table.runs(key, limit));
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return openTransfer(context, this.engine, this.config, cronTransfer);
  }

  private get table(): CronTable {
    if (!this.working) throw new OperationError('StorageClosed', 'the cron adapter is not open');
    return this.working.table;
  }
}
