import {
  Adapter, type CronAdapter, type CronCapabilities, type CronClaimed, type CronClaimRule, type CronKey, type CronRun, type CronSchedule, CronSlot,
  InjectConfig, type ModuleContext, OperationError, type SharedCron, type StoreTransfer, type TransferContext,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { REDIS_DEFAULTS, RedisConfig, sharedDatabase } from '../store/store.config.js';
import { RedisTransfer } from '../transfer/redis-transfer.js';
import { CronTable } from './cron-table.js';
import { cronTransfer } from './cron-transfer.js';

/** What there is between init and stop. */
interface Working {
  readonly table: CronTable;
  leave(): void;
}

/** Keeps ticks and runs of cron triggers in Redis: each tick runs once, whichever of the engines does it. */
@Adapter<RedisConfig, CronCapabilities>({
  id: 'modules::cron::adapters::Redis',
  slot: CronSlot,
  summary: 'Keeps cron runs in Redis, for several engines; each tick runs once.',
  stability: 'beta',
  since: '0.1.0',
  config: RedisConfig,
  capabilities: { durable: true, multiEngine: true },
  shares: sharedDatabase,
  variants: { redis: REDIS_DEFAULTS },
})
export class RedisCronAdapter implements CronAdapter {
  readonly shared: SharedCron = {
    now: () => this.table.now(),
    onSchedules: (listener) => this.table.onSchedules(listener),
  };
  private working: Working | undefined;

  constructor(@InjectConfig() private readonly config: RedisConfig) {}

  async init(context: ModuleContext): Promise<void> {
    const { store, leave } = await useStore(context, this.config);
    this.working = { table: await CronTable.open(store), leave };
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
    return RedisTransfer.open(context, this.config, cronTransfer);
  }

  private get table(): CronTable {
    if (!this.working) throw new OperationError('StorageClosed', 'the cron adapter is not open');
    return this.working.table;
  }
}
