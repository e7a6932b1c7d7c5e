import {
  Adapter, type CronAdapter, type CronCapabilities, type CronClaimed, type CronClaimRule, type CronKey, type CronRun, type CronSchedule, CronSlot,
  EngineInfo, Inject, InjectConfig, type ModuleContext, OperationError, type SharedCron, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { PostgresTransfer } from '../transfer/postgres-transfer.js';
import { cronTransfer } from './cron-transfer.js';
import { databaseStore, POSTGRES_DEFAULTS, PostgresConfig, sharedDatabase } from '../store/store.config.js';
import { CronTable } from './cron-table.js';

/** What there is between init and stop. */
interface Working {
  readonly table: CronTable;
  leave(): void;
}

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
export class PostgresCronAdapter implements CronAdapter {
  readonly shared: SharedCron = {
    now: () => this.table.now(),
    onSchedules: (listener) => this.table.onSchedules(listener),
  };
  private working: Working | undefined;

  constructor(@InjectConfig() private readonly config: PostgresConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    const { store, leave } = await useStore(context, this.engine, this.config);
    this.working = { table: new CronTable(store), leave };
  }

  async stop(): Promise<void> {
    const { working } = this;
    this.working = undefined;
    await working?.table.close();
    working?.leave();
  }

  async schedules(keys: readonly CronKey[], now: number): Promise<readonly CronSchedule[]> {
    return this.table.schedules(keys, now);
  }

  async setPaused(key: CronKey, paused: boolean, now: number): Promise<void> {
    await this.table.setPaused(key, paused, now);
  }

  async claim(runs: readonly CronRun[], leaseMs: number, rule: CronClaimRule = { unlessRunning: false }): Promise<readonly CronClaimed[]> {
    return this.table.claim(runs, leaseMs, rule);
  }

  async orphans(): Promise<readonly CronRun[]> {
    return this.table.orphans();
  }

  async takeOver(run: CronRun, leaseMs: number): Promise<CronRun | undefined> {
    return this.table.takeOver(run, leaseMs);
  }

  async renew(ids: readonly string[], leaseMs: number): Promise<void> {
    await this.table.renew(ids, leaseMs);
  }

  async running(key: CronKey): Promise<readonly CronRun[]> {
    return this.table.running(key);
  }

  async finish(runs: readonly CronRun[]): Promise<void> {
    await this.table.finish(runs);
  }

  async runs(key: CronKey, limit: number): Promise<readonly CronRun[]> {
    return this.table.runs(key, limit);
  }

  openTransfer(context: TransferContext): Promise<StoreTransfer> {
    return PostgresTransfer.open(context, this.config, cronTransfer);
  }

  private get table(): CronTable {
    if (!this.working) throw new OperationError('StorageClosed', 'the cron adapter is not open');
    return this.working.table;
  }
}
