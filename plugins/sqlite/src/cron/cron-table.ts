import { type Clock, type CronClaimed, type CronClaimRule, type CronKey, type CronRun, type CronSchedule, OutageGrace, type Timer } from '@treadle/api';
import type { SqlRow } from '../driver/driver.js';
import type { SqliteStore } from '../store/sqlite-store.js';
import { claimRow, CronReader, finishRow, keyRow } from './cron-reader.js';

/** One adapter of the store, as the holder of runs. */
export type Holder = object;

/** How runs are claimed. */
export interface Claiming {
  readonly leaseMs: number;
  readonly rule: CronClaimRule;
  readonly holder: Holder;
}

interface Lease {
  readonly holder: Holder;
  /** Of the monotonic clock: a jump of the time of day ends no lease. */
  readonly until: number;
}

const BEAT_MS = 2_000;

const TABLES = new WeakMap<SqliteStore, CronTable>();

/**
 * The ticks and runs of one store, shared by the adapters that have the same file. Who holds a run is known in memory
 * only: one engine owns the file, so whatever ran in another one is an orphan.
 */
export class CronTable {
  private readonly reader: CronReader;
  private readonly leases = new Map<string, Lease>();
  private readonly holders = new Set<Holder>();
  /** A machine that slept, or a process that was held up, let nobody renew anything. */
  private readonly grace: OutageGrace;
  private beats: Timer | undefined;

  private constructor(private readonly store: SqliteStore, private readonly clock: Clock) {
    this.reader = new CronReader(store.reads);
    this.grace = new OutageGrace(() => clock.monotonic());
  }

  /** The table of a store. */
  static of(store: SqliteStore, clock: Clock): CronTable {
    const table = TABLES.get(store) ?? new CronTable(store, clock);
    TABLES.set(store, table);
    return table;
  }

  /** To be called before anything else, and `leave` when nothing more comes. */
  join(holder: Holder): void {
    this.holders.add(holder);
    if (this.beats) return;
    this.grace.beat();
    this.beats = this.clock.every(BEAT_MS, () => this.grace.beat(this.grace.apart ? this.clock.monotonic() : undefined));
  }

  async schedules(keys: readonly CronKey[], now: number): Promise<readonly CronSchedule[]> {
    if (keys.length === 0) return [];
    const found = await this.store.apply({ operation: 'cron.see', rows: keys.map((key) => [...keyRow(key), now]) });
    return (found as readonly SqlRow[]).map((row, index) => scheduleOf(keys[index] as CronKey, row));
  }

  async setPaused(key: CronKey, paused: boolean, now: number, until?: number): Promise<void> {
    await this.store.apply({ operation: 'cron.pause', rows: [[...keyRow(key), paused ? 1 : 0, now, until ?? null]] });
  }

  /** Held before it is written, so that nobody takes it for an orphan in between. */
  async claim(runs: readonly CronRun[], { leaseMs, rule, holder }: Claiming): Promise<readonly CronClaimed[]> {
    if (runs.length === 0) return [];
    for (const { id, status } of runs) if (status === 'running') this.hold(id, leaseMs, holder);
    try {
      const rows = runs.map((run) => claimRow(run, rule));
      const outcomes = await this.store.apply({ operation: 'cron.claim', rows }) as readonly CronClaimed[];
      runs.forEach(({ id }, index) => outcomes[index] === 'claimed' || this.leases.delete(id));
      return outcomes;
    } catch (error) {
      for (const { id } of runs) this.leases.delete(id);
      throw error;
    }
  }

  orphans(): readonly CronRun[] {
    return this.reader.running().filter(({ id }) => !this.isHeld(id));
  }

  async takeOver(run: CronRun, leaseMs: number, holder: Holder): Promise<CronRun | undefined> {
    const { id, attempt } = run;
    if (this.isHeld(id)) return undefined;
    const former = this.leases.get(id);
    this.hold(id, leaseMs, holder);
    let taken = false;
    try {
      const [changed] = await this.store.apply({ operation: 'cron.take', rows: [[id, attempt]] }) as readonly number[];
      taken = changed === 1;
    } finally {
      if (!taken) this.putBack(id, former);
    }
    return taken ? { ...run, attempt: attempt + 1 } : undefined;
  }

  renew(ids: readonly string[], leaseMs: number, holder: Holder): readonly string[] {
    const own = ids.filter((id) => this.leases.get(id)?.holder === holder);
    for (const id of own) this.hold(id, leaseMs, holder);
    return own;
  }

  async finish(runs: readonly CronRun[], holder: Holder): Promise<void> {
    const own = runs.filter(({ id }) => this.leases.get(id)?.holder === holder);
    if (own.length === 0) return;
    await this.store.apply({ operation: 'cron.finish', rows: own.map(finishRow) });
    for (const { id } of own) if (this.leases.get(id)?.holder === holder) this.leases.delete(id);
  }

  running(key: CronKey): readonly CronRun[] {
    return this.reader.running(key);
  }

  runs(key: CronKey, limit: number): readonly CronRun[] {
    return this.reader.runs(key, limit);
  }

  /** What the holder did not finish is an orphan from now on. */
  leave(holder: Holder): void {
    for (const [id, lease] of this.leases) if (lease.holder === holder) this.leases.delete(id);
    this.holders.delete(holder);
    if (this.holders.size > 0) return;
    this.beats?.cancel();
    this.beats = undefined;
  }

  private hold(id: string, leaseMs: number, holder: Holder): void {
    this.leases.set(id, { holder, until: this.clock.monotonic() + leaseMs });
  }

  private putBack(id: string, former: Lease | undefined): void {
    if (former) this.leases.set(id, former);
    else this.leases.delete(id);
  }

  private isHeld(id: string): boolean {
    const lease = this.leases.get(id);
    const now = this.clock.monotonic();
    return lease !== undefined && (lease.until > now || !this.grace.judges(now));
  }
}

function scheduleOf({ step, trigger }: CronKey, row: SqlRow): CronSchedule {
  const [last, until] = [row['last_tick'] ?? null, row['paused_until'] ?? null];
  return {
    step, trigger, since: Number(row['since']), paused: Number(row['paused']) === 1, ...until !== null && { pausedUntil: Number(until) },
    ...last !== null && { lastTick: Number(last) },
  };
}
