import type { CronClaimed, CronClaimRule, CronKey, CronRun, CronSchedule, Unsubscribe } from '@treadle/api';
import type { RedisStore } from '../store/redis-store.js';
import type { Script } from '../store/script.js';
import { endOf, rowOf, runOf, type RunRow, triggerName } from './cron-rows.js';
import { CLAIM, CRON_SCRIPTS, FINISH, LEAVE, ORPHANS, PAUSE, RENEW, RUNS, SCHEDULES, TAKE } from './cron-scripts.js';

/** Rows of one script call. */
const MOST = 100;
/** Of one trigger, at most so many runs are read. */
const ALL = 1_000_000;

/** Beats between two words to the listeners without a reason: a notice may have been lost. */
const LOOK_BEATS = 30;

let hands = 0;

/** Ticks and runs of one prefix as one adapter sees them. Ticks go by the store's time already, so no moment is translated. */
export class CronTable {
  /** Tells this adapter from others of its engine. */
  private readonly hand: number;
  private readonly listeners = new Set<() => void>();
  private readonly unlisten: readonly Unsubscribe[];
  private beats = 0;

  private constructor(private readonly store: RedisStore) {
    hands += 1;
    this.hand = hands;
    this.unlisten = [
      store.on('cron', () => this.tell()),
      store.listen({
        beat: (anew) => {
          this.beats += 1;
          if (anew || this.beats % LOOK_BEATS === 0) this.tell();
          return Promise.resolve();
        },
      }),
    ];
  }

  /** @throws an `OperationError` when the server is away */
  static async open(store: RedisStore): Promise<CronTable> {
    await store.register(CRON_SCRIPTS);
    return new CronTable(store);
  }

  async schedules(keys: readonly CronKey[], now: number): Promise<readonly CronSchedule[]> {
    const rows = await this.inPortions(keys, (some) => this.run(SCHEDULES, [Math.round(now), ...some.map(triggerName)])) as readonly RunRow[];
    return keys.map(({ step, trigger }, index) => {
      const [since, paused, last = '', until = ''] = rows[index] ?? [];
      return { step, trigger, since: Number(since), paused: paused === '1', ...until !== '' && { pausedUntil: Number(until) }, ...last !== '' && { lastTick: Number(last) } };
    });
  }

  async setPaused(key: CronKey, paused: boolean, now: number, until?: number): Promise<void> {
    await this.run(PAUSE, [triggerName(key), paused ? 1 : 0, Math.round(now), until ?? '']);
    this.store.notifyAll('cron', ['']);
  }

  async claim(runs: readonly CronRun[], leaseMs: number, { unlessRunning }: CronClaimRule): Promise<readonly CronClaimed[]> {
    const rule = unlessRunning ? 1 : 0;
    return this.inPortions(runs, (some) => this.run(CLAIM, [...this.holder, Math.ceil(leaseMs), rule, ...some.flatMap(rowOf)])) as Promise<readonly CronClaimed[]>;
  }

  async orphans(): Promise<readonly CronRun[]> {
    const runs = (await this.run(ORPHANS, [this.judges]) as readonly RunRow[]).map(runOf);
    return runs.sort((a, b) => compare(triggerName(a), triggerName(b)) || a.scheduledAt - b.scheduledAt);
  }

  async takeOver({ id, attempt }: CronRun, leaseMs: number): Promise<CronRun | undefined> {
    const row = await this.run(TAKE, [...this.holder, Math.ceil(leaseMs), id, attempt, this.judges]) as RunRow | null;
    return row ? runOf(row) : undefined;
  }

  async renew(ids: readonly string[], leaseMs: number): Promise<readonly string[]> {
    return this.inPortions(ids, (some) => this.run(RENEW, [...this.holder, Math.ceil(leaseMs), ...some])) as Promise<readonly string[]>;
  }

  async finish(runs: readonly CronRun[]): Promise<void> {
    await this.inPortions(runs, (some) => this.run(FINISH, [...this.holder, ...some.flatMap(endOf)]));
  }

  async running(key: CronKey): Promise<readonly CronRun[]> {
    return (await this.run(RUNS, ['u', triggerName(key), ALL, 0]) as readonly RunRow[]).map(runOf);
  }

  async runs(key: CronKey, limit: number): Promise<readonly CronRun[]> {
    return (await this.run(RUNS, ['t', triggerName(key), limit, 1]) as readonly RunRow[]).map(runOf);
  }

  now(): number {
    return this.store.time.now();
  }

  onSchedules(listener: () => void): Unsubscribe {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** What the adapter did not finish is an orphan from now on. */
  async close(): Promise<void> {
    for (const end of this.unlisten) end();
    this.listeners.clear();
    await this.run(LEAVE, this.holder).catch(() => undefined);
  }

  private get holder(): readonly number[] {
    return [this.store.members.member, this.hand];
  }

  private get judges(): number {
    return this.store.members.grace.judges(this.store.time.now()) ? 1 : 0;
  }

  private async inPortions<T>(all: readonly T[], work: (some: readonly T[]) => Promise<unknown>): Promise<readonly unknown[]> {
    const results: unknown[] = [];
    for (let at = 0; at < all.length; at += MOST) results.push(...(await work(all.slice(at, at + MOST)) as readonly unknown[] | null ?? []));
    return results;
  }

  private run(script: Script, args: readonly (string | number)[]): Promise<unknown> {
    return this.store.run(script, [this.store.key('c:running')], args);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
