import type { CronClaimed, CronClaimRule, CronKey, CronRun, CronSchedule, Unsubscribe } from '@treadle/api';
import type { NatsStore } from '../store/nats-store.js';
import { claim } from './claiming.js';
import { isFree, isRunning, type RecordedRun, runOf, withRuns } from './trigger-record.js';
import { TriggerRecords } from './trigger-records.js';

/** Kind of the notice that a trigger was paused or resumed. */
const SCHEDULES = 'cron';
/** Beats between two words to the listeners without a reason: a notice may have been lost. */
const LOOK_BEATS = 30;

let hands = 0;

/** Ticks and runs of one store as one adapter sees them. Ticks go by the store's time already, so no moment is translated. */
export class CronTable {
  private readonly records: TriggerRecords;
  /** Tells this adapter from all others. */
  private readonly name: string;
  /** Runs that this adapter may hold, and their triggers. */
  private readonly held = new Map<string, CronKey>();
  private readonly listeners = new Set<() => void>();
  private readonly unlisten: Unsubscribe;
  private beats = 0;

  private constructor(private readonly store: NatsStore, records: TriggerRecords) {
    hands += 1;
    this.name = `${store.engine}.${hands}`;
    this.records = records;
    this.unlisten = store.listen({
      notice: (kind) => {
        if (kind === SCHEDULES) this.tell();
      },
      beat: (anew) => {
        this.beats += 1;
        if (anew || this.beats % LOOK_BEATS === 0) this.tell();
        return Promise.resolve();
      },
    });
  }

  /** @throws {SERVICE_UNAVAILABLE} */
  static async open(store: NatsStore): Promise<CronTable> {
    return new CronTable(store, new TriggerRecords(store, await store.records()));
  }

  async schedules(keys: readonly CronKey[], now: number): Promise<readonly CronSchedule[]> {
    return Promise.all(keys.map(({ step, trigger }) => this.records.change({ step, trigger }, (record) => {
      const { since = now, paused, pausedUntil, lastTick } = record;
      const schedule = { step, trigger, since, paused, ...pausedUntil !== undefined && { pausedUntil }, ...lastTick !== undefined && { lastTick } };
      return { record: record.since === undefined ? { ...record, since } : undefined, result: schedule };
    })));
  }

  async setPaused(key: CronKey, paused: boolean, now: number, until?: number): Promise<void> {
    await this.records.change(key, ({ pausedUntil, ...record }) => {
      const { since = now } = record;
      const changed = { ...record, paused, since: record.paused && !paused ? resumedSince({ since, pausedUntil }, now) : since };
      return { record: until === undefined ? changed : { ...changed, pausedUntil: until }, result: undefined };
    });
    this.store.tell(SCHEDULES, '');
  }

  async claim(runs: readonly CronRun[], leaseMs: number, rule: CronClaimRule): Promise<readonly CronClaimed[]> {
    const outcomes = new Map<string, CronClaimed[]>();
    // Before they are asked for: where the answer is lost they may be this adapter's, to be given back.
    const wanted = runs.filter((run) => isRunning(run) && !this.held.has(run.id));
    for (const run of wanted) this.held.set(run.id, keyOf(run));
    await Promise.all(triggersOf(runs).map(async (key) => {
      const own = runs.filter((run) => nameOf(run) === nameOf(key));
      outcomes.set(nameOf(key), await this.records.change(key, (record) => {
        const claims = claim(record, own, this.hold(leaseMs), rule);
        return { record: claims.outcomes.includes('claimed') ? claims.record : undefined, result: [...claims.outcomes] };
      }));
    }));
    const became = runs.map((run) => outcomes.get(nameOf(run))?.shift() ?? 'taken');
    runs.forEach((run, index) => became[index] !== 'claimed' && wanted.includes(run) && this.held.delete(run.id));
    return became;
  }

  async orphans(): Promise<readonly CronRun[]> {
    const found = await this.records.running();
    return found.flatMap(({ key, record }) => record.runs.filter((run) => isRunning(run) && this.isFree(run)).map((run) => runOf(key, run)).sort(byTick));
  }

  async takeOver({ id, attempt, ...key }: CronRun, leaseMs: number): Promise<CronRun | undefined> {
    const isNew = !this.held.has(id);
    const taken = await this.records.change(key, (record) => {
      const found = record.runs.find((run) => run.id === id && run.attempt === attempt && isRunning(run) && this.isFree(run));
      if (found) this.held.set(id, keyOf(key));
      const next = found && { ...found, attempt: attempt + 1, held: this.hold(leaseMs) };
      return { record: next && withRuns(record, (run) => (run === found ? next : run)), result: next && runOf(key, next) };
    });
    if (!taken && isNew) this.held.delete(id);
    return taken;
  }

  async renew(ids: readonly string[], leaseMs: number): Promise<readonly string[]> {
    const wanted = new Set(ids.filter((id) => this.held.has(id)));
    return this.replaceHeld(this.keysOf(wanted), (run) => (wanted.has(run.id) ? { ...run, held: this.hold(leaseMs) } : run));
  }

  async finish(runs: readonly CronRun[]): Promise<void> {
    const ends = new Map(runs.filter(({ id }) => this.held.has(id)).map((run) => [run.id, run]));
    await this.replaceHeld(this.keysOf(ends.keys()), (run) => endedBy(run, ends.get(run.id)));
    for (const id of ends.keys()) this.held.delete(id);
  }

  async running(key: CronKey): Promise<readonly CronRun[]> {
    const { runs } = await this.records.read(key);
    return runs.filter(isRunning).map((run) => runOf(key, run)).sort(byTick);
  }

  async runs(key: CronKey, limit: number): Promise<readonly CronRun[]> {
    const { runs } = await this.records.read(key);
    return runs.map((run) => runOf(key, run)).sort(byTick).reverse().slice(0, limit);
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
    this.unlisten();
    this.listeners.clear();
    await this.replaceHeld(this.keysOf(this.held.keys()), ({ held: _held, ...run }) => run).catch(() => undefined);
    this.held.clear();
  }

  /** So is what this adapter has let go and the store gave it afterwards: what it had asked for arrived late. */
  private isFree(run: RecordedRun): boolean {
    const now = this.store.time.now();
    return isFree(run, this.store.grace.judges(now) ? now : 0) || (run.held?.by === this.name && !this.held.has(run.id));
  }

  private hold(leaseMs: number): Required<RecordedRun>['held'] {
    return { by: this.name, until: this.store.time.now() + Math.ceil(leaseMs) };
  }

  /** Replaces runs of triggers that are this adapter's by now. Gives the ids of those that are others then. */
  private async replaceHeld(keys: readonly CronKey[], replace: (run: RecordedRun) => RecordedRun): Promise<readonly string[]> {
    const replaced = await Promise.all(keys.map((key) => this.records.change(key, (before) => {
      const record = withRuns(before, (run) => (run.held?.by === this.name ? replace(run) : run));
      return { record, result: record?.runs.filter((run, index) => run !== before.runs[index]).map(({ id }) => id) ?? [] };
    })));
    return replaced.flat();
  }

  /** Triggers of runs that this adapter may hold. */
  private keysOf(ids: Iterable<string>): readonly CronKey[] {
    return triggersOf([...ids].flatMap((id) => this.held.get(id) ?? []));
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Ticks from the end of a pause on are none of it. */
function resumedSince({ since, pausedUntil = Infinity }: { readonly since: number; readonly pausedUntil?: number | undefined }, now: number): number {
  return pausedUntil <= now ? Math.max(since, pausedUntil - 1) : now;
}

function endedBy(run: RecordedRun, end: CronRun | undefined): RecordedRun {
  if (!end) return run;
  const { held: _held, durationMs: _duration, error: _error, ...known } = run;
  const { status, attempt, firedAt, durationMs, error } = end;
  return { ...known, status, attempt, firedAt, ...durationMs !== undefined && { durationMs }, ...error !== undefined && { error } };
}

/** Each of the triggers once. */
function triggersOf(keys: readonly CronKey[]): readonly CronKey[] {
  return [...new Map(keys.map((key) => [nameOf(key), keyOf(key)])).values()];
}

const keyOf = ({ step, trigger }: CronKey): CronKey => ({ step, trigger });
const nameOf = ({ step, trigger }: CronKey): string => `${step}\0${trigger}`;
const byTick = (a: CronRun, b: CronRun): number => a.scheduledAt - b.scheduledAt;
