import { type CronClaimRule, type CronKey, type CronRun, type CronRunStatus, decodeKey, encodeKey } from '@treadle/api';
import type { Connection, SqlRow, SqlValue } from '../driver/driver.js';
import type { Row } from '../store/store-area.js';

const COLUMNS = 'id, step, trig, scheduled_at, fired_at, attempt, manual, missed, status, duration_ms, trace_id, error';

/** Reads what is committed. */
export class CronReader {
  private readonly unfinished;
  private readonly unfinishedOf;
  private readonly newest;

  constructor(connection: Connection) {
    this.unfinished = connection.prepare(`SELECT ${COLUMNS} FROM cron_runs WHERE status = 'running' ORDER BY step, trig, scheduled_at`);
    this.unfinishedOf = connection.prepare(
      `SELECT ${COLUMNS} FROM cron_runs WHERE status = 'running' AND step = ? AND trig = ? ORDER BY scheduled_at`);
    this.newest = connection.prepare(`SELECT ${COLUMNS} FROM cron_runs WHERE step = ? AND trig = ? ORDER BY scheduled_at DESC LIMIT ?`);
  }

  /** Of all triggers, or of one; oldest tick first. */
  running(key?: CronKey): readonly CronRun[] {
    return (key ? this.unfinishedOf.all(...keyRow(key)) : this.unfinished.all()).map(runOf);
  }

  runs(key: CronKey, limit: number): readonly CronRun[] {
    return this.newest.all(...keyRow(key), limit).map(runOf);
  }
}

/** A trigger in the database's form. */
export function keyRow({ step, trigger }: CronKey): readonly [step: string, trigger: string] {
  return [encodeKey(step), encodeKey(trigger)];
}

/** The row that `cron.claim` takes. */
export function claimRow(run: CronRun, { unlessRunning }: CronClaimRule): Row {
  const { scheduledAt, id, firedAt, attempt, status, durationMs, traceId, error } = run;
  const flag = (value: boolean): number => (value ? 1 : 0);
  const overlaps = flag(!unlessRunning || status !== 'running');
  return [
    overlaps, ...keyRow(run), scheduledAt, flag(run.manual), id, firedAt, attempt, flag(run.missed), status, durationMs ?? null, traceId, error ?? null,
  ];
}

/** The row that `cron.finish` takes. */
export function finishRow({ id, status, attempt, firedAt, durationMs, error }: CronRun): Row {
  return [status, attempt, firedAt, durationMs ?? null, error ?? null, id];
}

function runOf(row: SqlRow): CronRun {
  const durationMs = row['duration_ms'] ?? null;
  const error = row['error'] ?? null;
  return {
    id: String(row['id']), step: decodeKey(String(row['step'])), trigger: decodeKey(String(row['trig'])),
    scheduledAt: Number(row['scheduled_at']), firedAt: Number(row['fired_at']), attempt: Number(row['attempt']),
    manual: isTrue(row['manual']), missed: isTrue(row['missed']), status: row['status'] as CronRunStatus, traceId: String(row['trace_id']),
    ...durationMs === null ? {} : { durationMs: Number(durationMs) }, ...error === null ? {} : { error: String(error) },
  };
}

function isTrue(value: SqlValue | undefined): boolean {
  return Number(value) === 1;
}
