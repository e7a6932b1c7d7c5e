import {
  Adapter, type CronAdapter, type CronCapabilities, type CronClaimed, type CronClaimRule, type CronKey, type CronRun, type CronSchedule, CronSlot,
  EngineInfo, Inject, InjectConfig, type ModuleContext, OperationError, type SharedCron,
} from '@treadle/api';
import { useStore } from '../store/shared-store.js';
import { NATS_DEFAULTS, NatsConfig, sharedServer } from '../store/store.config.js';
import { CronTable } from './cron-table.js';

/** What there is between init and stop. */
interface Working {
  readonly table: CronTable;
  leave(): void;
}

/** Keeps ticks and runs of cron triggers in NATS JetStream: each tick runs once, whichever of the engines does it. */
@Adapter<NatsConfig, CronCapabilities>({
  id: 'modules::cron::adapters::Nats',
  slot: CronSlot,
  summary: 'Keeps cron runs in NATS JetStream, for several engines; each tick runs once.',
  stability: 'beta',
  since: '0.1.0',
  config: NatsConfig,
  capabilities: { durable: true, multiEngine: true },
  shares: sharedServer,
  variants: { nats: NATS_DEFAULTS },
})
export class NatsCronAdapter implements CronAdapter {
  readonly shared: SharedCron = {
    now: () => this.table.now(),
    onSchedules: (listener) => this.table.onSchedules(listener),
  };
  private working: Working | undefined;

  constructor(@InjectConfig() private readonly config: NatsConfig, @Inject(EngineInfo) private readonly engine: EngineInfo) {}

  async init(context: ModuleContext): Promise<void> {
    const { store, leave } = await useStore(context, this.engine, this.config);
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

  private get table(): CronTable {
    if (!this.working) throw new OperationError('StorageClosed', 'the cron adapter is not open');
    return this.working.table;
  }
}
