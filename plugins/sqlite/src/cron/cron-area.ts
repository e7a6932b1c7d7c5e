import type { CronClaimed } from '@treadle/api';
import type { Connection } from '../driver/driver.js';
import { eachRow } from '../store/each-row.js';
import type { Operation, StoreArea } from '../store/store-area.js';
import { ForgottenTicks } from './forgotten-ticks.js';

/** `last_tick`: newest tick with a record. */
const VERSION_1 = `
  CREATE TABLE cron_schedules (
    step TEXT NOT NULL, trig TEXT NOT NULL, since INTEGER NOT NULL, paused INTEGER NOT NULL DEFAULT 0,
    last_tick INTEGER, forgotten INTEGER, PRIMARY KEY (step, trig)) WITHOUT ROWID;
  CREATE TABLE cron_runs (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, step TEXT NOT NULL, trig TEXT NOT NULL, scheduled_at INTEGER NOT NULL,
    fired_at INTEGER NOT NULL, attempt INTEGER NOT NULL, manual INTEGER NOT NULL, missed INTEGER NOT NULL, status TEXT NOT NULL,
    duration_ms INTEGER, trace_id TEXT NOT NULL, error TEXT, UNIQUE (step, trig, scheduled_at));
  CREATE INDEX cron_runs_running ON cron_runs (step, trig, scheduled_at) WHERE status = 'running';`;
/** Spans of ticks whose records were removed; none of them is ever claimed again. Formerly all ticks up to the newest such one. */
const VERSION_2 = `
  CREATE TABLE cron_forgotten (
    step TEXT NOT NULL, trig TEXT NOT NULL, first_tick INTEGER NOT NULL, last_tick INTEGER NOT NULL, PRIMARY KEY (step, trig, first_tick)) WITHOUT ROWID;
  INSERT INTO cron_forgotten (step, trig, first_tick, last_tick) SELECT step, trig, 0, forgotten FROM cron_schedules WHERE forgotten IS NOT NULL;
  ALTER TABLE cron_schedules DROP COLUMN forgotten;`;

/** Only of a pause that ends by itself. */
const VERSION_3 = 'ALTER TABLE cron_schedules ADD COLUMN paused_until INTEGER;';

const SEE = 'INSERT INTO cron_schedules (step, trig, since) VALUES (?, ?, ?) ON CONFLICT (step, trig) DO NOTHING';
const PAUSE = `INSERT INTO cron_schedules (step, trig, paused, since, paused_until) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (step, trig) DO UPDATE SET since = CASE WHEN paused = 0 OR excluded.paused = 1 THEN since
      WHEN paused_until <= excluded.since THEN max(since, paused_until - 1) ELSE excluded.since END,
    paused = excluded.paused, paused_until = excluded.paused_until`;
const CLAIM = `INSERT INTO cron_runs
  (step, trig, scheduled_at, manual, id, fired_at, attempt, missed, status, duration_ms, trace_id, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;
const TAKEN = 'SELECT 1 FROM cron_runs WHERE step = ? AND trig = ? AND scheduled_at = ?';
const PAUSED = 'SELECT 1 FROM cron_schedules WHERE step = ? AND trig = ? AND paused = 1 AND (paused_until IS NULL OR paused_until > ?)';
const RUNNING = "SELECT 1 FROM cron_runs WHERE status = 'running' AND step = ? AND trig = ? LIMIT 1";
const TICKED = `INSERT INTO cron_schedules (step, trig, since, last_tick) VALUES (?, ?, ?, ?)
  ON CONFLICT (step, trig) DO UPDATE SET last_tick = max(coalesce(last_tick, excluded.last_tick), excluded.last_tick)`;
const FINISH = `UPDATE cron_runs SET status = ?, attempt = ?, fired_at = ?, duration_ms = ?, error = ? WHERE id = ? AND status = 'running'`;
const TAKE = "UPDATE cron_runs SET attempt = attempt + 1 WHERE id = ? AND attempt = ? AND status = 'running'";

/** Where the cron adapter keeps ticks and runs. */
export const cronArea: StoreArea = {
  name: 'cron',
  migrations: [VERSION_1, VERSION_2, VERSION_3],
  // Pausing what fills the disk has to be possible, and schedules have to be seen to begin: what they run may free space.
  freeing: new Set(['cron.finish', 'cron.pause', 'cron.see']),
  operations: (connection) => ({
    'cron.see': seeRows(connection), 'cron.pause': eachRow(connection, PAUSE), 'cron.claim': claimRows(connection),
    'cron.finish': eachRow(connection, FINISH), 'cron.take': eachRow(connection, TAKE),
  }),
};

/** Rows: step, trigger, now. Returns what is known of each. */
function seeRows(connection: Connection): Operation {
  const see = connection.prepare(SEE);
  const get = connection.prepare('SELECT since, paused, paused_until, last_tick FROM cron_schedules WHERE step = ? AND trig = ?');
  return (rows) => rows.map((row) => {
    const [step = null, trigger = null] = row;
    see.run(...row);
    return get.get(step, trigger);
  });
}

/** Rows: whether the run may overlap, and the columns of a run in the order of CLAIM. Returns for each what became of it, a `CronClaimed`. */
function claimRows(connection: Connection): Operation {
  const prepare = (sql: string) => connection.prepare(sql);
  const [claim, taken, paused, running, ticked] = [prepare(CLAIM), prepare(TAKEN), prepare(PAUSED), prepare(RUNNING), prepare(TICKED)];
  const forgotten = new ForgottenTicks(connection);
  return (rows) => rows.map(([overlaps, ...run]): CronClaimed => {
    const [step = null, trigger = null, scheduledAt = null, manual] = run;
    if ((manual === 0 && forgotten.has([step, trigger], scheduledAt)) || taken.get(step, trigger, scheduledAt)) return 'taken';
    if (manual === 0 && paused.get(step, trigger, scheduledAt)) return 'paused';
    if (overlaps === 0 && running.get(step, trigger)) return 'overlaps';
    if (claim.run(...run) === 0) return 'taken';
    if (manual === 0) ticked.run(step, trigger, scheduledAt, scheduledAt);
    forgotten.forget([step, trigger]);
    return 'claimed';
  });
}
