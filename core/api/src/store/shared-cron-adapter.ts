import type { CronAdapter, CronClaimed, CronClaimRule, CronKey, CronRun, CronSchedule, SharedCron } from '../blocks/cron.js';
import type { ModuleContext } from '../lifecycle.js';
import { type SharedStore, StorePart } from './store-part.js';

/** Ticks and runs of a store of several engines, as one adapter works on them between `init` and `stop`. */
export interface SharedCronTable extends Pick<CronAdapter, 'schedules' | 'setPaused' | 'orphans' | 'takeOver' | 'renew' | 'running' | 'finish' | 'runs'>, SharedCron {
  claim(runs: readonly CronRun[], leaseMs: number, rule: CronClaimRule): Promise<readonly CronClaimed[]>;
  close(): Promise<void>;
}

/** What adapters of the slot `cron` for several engines have in common: all but `init`, which opens the table. Calls outside of `init` and `stop` fail with `StorageClosed`. */
export abstract class SharedCronAdapter<Store extends SharedStore> implements CronAdapter {
  readonly shared: SharedCron = {
    now: () => this.table.now(),
    onSchedules: (listener) => this.table.onSchedules(listener),
  };
  protected readonly opened = new StorePart<Store, SharedCronTable>('cron');

  abstract init(context: ModuleContext): Promise<void>;

  async stop(): Promise<void> {
    await this.opened.close();
  }

  async schedules(keys: readonly CronKey[], now: number): Promise<readonly CronSchedule[]> {
    return this.table.schedules(keys, now);
  }

  async setPaused(key: CronKey, paused: boolean, now: number, until?: number): Promise<void> {
    await this.table.setPaused(key, paused, now, until);
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

  async renew(ids: readonly string[], leaseMs: number): Promise<readonly string[]> {
    return this.table.renew(ids, leaseMs);
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

  private get table(): SharedCronTable {
    return this.opened.part;
  }
}
