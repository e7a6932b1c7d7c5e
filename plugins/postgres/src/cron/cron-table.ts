import {
  type CronClaimed, type CronClaimRule, type CronKey, type CronRun, type CronRunStatus, type CronSchedule, decodeKey, encodeKey, OperationError, type Unsubscribe,
} from '@treadle/api';
import type { PgStore } from '../store/pg-store.js';

const SEE = `INSERT INTO cron_schedules (step, trig, since) SELECT step, trig, $3 FROM unnest($1::text[], $2::text[]) AS k (step, trig)
  ON CONFLICT (step, trig) DO NOTHING`;
const SCHEDULES = `SELECT s.since, s.paused, s.paused_until, s.last_tick FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (step, trig, nr)
  JOIN cron_schedules s ON s.step = k.step AND s.trig = k.trig ORDER BY k.nr`;
const PAUSE = `INSERT INTO cron_schedules AS s (step, trig, paused, since, paused_until) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (step, trig)
  DO UPDATE SET since = CASE WHEN excluded.paused OR NOT s.paused THEN s.since
      WHEN s.paused_until <= excluded.since THEN GREATEST(s.since, s.paused_until - 1) ELSE excluded.since END,
    paused = excluded.paused, paused_until = excluded.paused_until`;
/** A row while that member is one. Its end waits for the statement, and then frees what that has claimed; after its end nothing would. */
const memberOf = (parameter: string): string => `WITH me AS MATERIALIZED (SELECT 1 FROM members WHERE member = ${parameter} FOR KEY SHARE)`;
const CLAIM = `${memberOf('$1')} SELECT cron_claim($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) AS outcomes FROM me`;
const FREE = '(holder IS NULL OR lease_until <= $1)';
const ORPHANS = `SELECT * FROM cron_runs WHERE status = 'running' AND ${FREE} ORDER BY step, trig, scheduled_at`;
const TAKE = `${memberOf('$4')}, taken AS (
    UPDATE cron_runs SET attempt = attempt + 1, holder = $4, hand = $5, lease_until = $6 FROM me
    WHERE id = $2 AND attempt = $3 AND status = 'running' AND ${FREE} RETURNING cron_runs.*)
  SELECT taken.* FROM me LEFT JOIN taken ON true`;
const RENEW = `UPDATE cron_runs SET lease_until = $4 WHERE id = ANY ($1::text[]) AND holder = $2 AND hand = $3 AND status = 'running' RETURNING id`;
const FINISH = `UPDATE cron_runs r SET status = n.status, attempt = n.attempt, fired_at = n.fired, duration_ms = n.duration, error = n.error,
    holder = NULL, hand = NULL, lease_until = NULL
  FROM unnest($3::text[], $4::text[], $5::integer[], $6::bigint[], $7::double precision[], $8::text[]) AS n (id, status, attempt, fired, duration, error)
  WHERE r.id = n.id AND r.holder = $1 AND r.hand = $2 AND r.status = 'running'`;
const RUNNING = `SELECT * FROM cron_runs WHERE step = $1 AND trig = $2 AND status = 'running' ORDER BY scheduled_at`;
const RUNS = 'SELECT * FROM cron_runs WHERE step = $1 AND trig = $2 ORDER BY scheduled_at DESC LIMIT $3';

interface RunRow extends Record<string, unknown> {
  readonly id: string; readonly step: string; readonly trig: string; readonly scheduled_at: number; readonly fired_at: number; readonly attempt: number;
  readonly manual: boolean; readonly missed: boolean; readonly status: CronRunStatus; readonly duration_ms: number | null; readonly trace_id: string;
  readonly error: string | null;
}

/** Beats between two words to the listeners without a reason: a notice may have been lost. */
const LOOK_BEATS = 30;

let hands = 0;

/** Ticks and runs of one schema as one adapter sees them. Ticks go by the store's time already, so no moment is translated. */
export class CronTable {
  /** Tells this adapter from others of its engine. */
  private readonly hand: number;
  private readonly listeners = new Set<() => void>();
  private readonly unlisten: Unsubscribe;
  private beats = 0;

  constructor(private readonly store: PgStore) {
    hands += 1;
    this.hand = hands;
    this.unlisten = store.listen({
      notice: ({ kind }) => {
        if (kind === 'k') this.tell();
      },
      beat: (anew) => {
        this.beats += 1;
        if (anew || this.beats % LOOK_BEATS === 0) this.tell();
        return Promise.resolve();
      },
    });
  }

  async schedules(keys: readonly CronKey[], now: number): Promise<readonly CronSchedule[]> {
    if (keys.length === 0) return [];
    const columns = [keys.map(({ step }) => encodeKey(step)), keys.map(({ trigger }) => encodeKey(trigger))];
    await this.rows(SEE, [...columns, Math.round(now)]);
    const rows = await this.rows<{ since: number; paused: boolean; paused_until: number | null; last_tick: number | null }>(SCHEDULES, columns);
    return keys.map(({ step, trigger }, index) => {
      const { since = now, paused = false, paused_until: until = null, last_tick: last = null } = rows[index] ?? {};
      return { step, trigger, since, paused, ...until !== null && { pausedUntil: until }, ...last !== null && { lastTick: last } };
    });
  }

  async setPaused(key: CronKey, paused: boolean, now: number, until?: number): Promise<void> {
    const columns = columnsOf(key);
    await this.store.connections.transaction(async (queries) => {
      await queries.rows('SELECT cron_lock(ARRAY[$1], ARRAY[$2])', columns);
      await queries.rows(PAUSE, [...columns, paused, Math.round(now), until ?? null]);
    });
    this.store.notifier.tellAll('k', ['']);
  }

  async claim(runs: readonly CronRun[], leaseMs: number, { unlessRunning }: CronClaimRule): Promise<readonly CronClaimed[]> {
    if (runs.length === 0) return [];
    const [row] = await this.rows<{ outcomes: CronClaimed[] }>(CLAIM, [
      this.member, this.hand, this.until(leaseMs), unlessRunning, runs.map(({ step }) => encodeKey(step)), runs.map(({ trigger }) => encodeKey(trigger)),
      runs.map(({ id }) => id), runs.map(({ scheduledAt }) => scheduledAt), runs.map(({ firedAt }) => Math.round(firedAt)), runs.map(({ attempt }) => attempt),
      runs.map(({ manual }) => manual), runs.map(({ missed }) => missed), runs.map(({ status }) => status), runs.map(({ durationMs }) => durationMs ?? null),
      runs.map(({ traceId }) => traceId), runs.map(errorOf),
    ]);
    if (!row) throw this.gone();
    return row.outcomes;
  }

  async orphans(): Promise<readonly CronRun[]> {
    return (await this.rows<RunRow>(ORPHANS, [this.judged])).map(runOf);
  }

  async takeOver({ id, attempt }: CronRun, leaseMs: number): Promise<CronRun | undefined> {
    const [row] = await this.rows<RunRow | { readonly id: null }>(TAKE, [this.judged, id, attempt, this.member, this.hand, this.until(leaseMs)]);
    if (!row) throw this.gone();
    return row.id === null ? undefined : runOf(row);
  }

  async renew(ids: readonly string[], leaseMs: number): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    return (await this.rows<{ id: string }>(RENEW, [ids, this.member, this.hand, this.until(leaseMs)])).map(({ id }) => id);
  }

  async finish(runs: readonly CronRun[]): Promise<void> {
    if (runs.length === 0) return;
    await this.rows(FINISH, [
      this.member, this.hand, runs.map(({ id }) => id), runs.map(({ status }) => status), runs.map(({ attempt }) => attempt),
      runs.map(({ firedAt }) => Math.round(firedAt)), runs.map(({ durationMs }) => durationMs ?? null), runs.map(errorOf),
    ]);
  }

  async running(key: CronKey): Promise<readonly CronRun[]> {
    return (await this.rows<RunRow>(RUNNING, columnsOf(key))).map(runOf);
  }

  async runs(key: CronKey, limit: number): Promise<readonly CronRun[]> {
    return (await this.rows<RunRow>(RUNS, [...columnsOf(key), limit])).map(runOf);
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
    await this.rows('UPDATE cron_runs SET holder = NULL, hand = NULL, lease_until = NULL WHERE holder = $1 AND hand = $2', [this.member, this.hand]).catch(() => undefined);
  }

  private get member(): number {
    return this.store.members.member;
  }

  /** Leases that were over by then count as over. */
  private get judged(): number {
    const now = this.store.time.now();
    return this.store.members.grace.judges(now) ? now : 0;
  }

  private gone(): OperationError {
    return new OperationError('StorageFailed', `${this.store.connections.database}: other engines took this one for gone, and it has not joined again yet`);
  }

  private until(leaseMs: number): number {
    return this.store.time.now() + Math.ceil(leaseMs);
  }

  private rows<R extends Record<string, unknown>>(text: string, values: readonly unknown[]): Promise<R[]> {
    return this.store.connections.rows<R>(text, values);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

function columnsOf({ step, trigger }: CronKey): [string, string] {
  return [encodeKey(step), encodeKey(trigger)];
}

function errorOf({ error }: CronRun): string | null {
  return error === undefined ? null : encodeKey(error);
}

function runOf(row: RunRow): CronRun {
  const { id, step, trig, scheduled_at: scheduledAt, fired_at: firedAt, attempt, manual, missed, status, duration_ms: durationMs, trace_id: traceId, error } = row;
  return {
    id, step: decodeKey(step), trigger: decodeKey(trig), scheduledAt, firedAt, attempt, manual, missed, status, traceId,
    ...durationMs !== null && { durationMs }, ...error !== null && { error: decodeKey(error) },
  };
}
