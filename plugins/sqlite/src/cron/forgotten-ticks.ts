import type { Connection, SqlRow, SqlValue } from '../driver/driver.js';

/** Runs of a trigger that are kept. */
const KEPT_RUNS = 100;
/** Spans of a trigger that are kept; the lowest go first. */
const KEPT_SPANS = 1_000;

const OF = 'step = ? AND trig = ?';
/** The record that is one too many, by the order of the claims: a wrong clock may have dated some of them far ahead. */
const SUPERFLUOUS = `SELECT seq, fired_at FROM cron_runs WHERE ${OF} ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT_RUNS}`;
/** Somebody lets it be skipped: it was written before its tick came, and counts from then on. */
const SKIPPED = "(manual = 1 AND status = 'skipped')";
const REMOVABLE = `SELECT seq, scheduled_at, manual = 0 OR ${SKIPPED} AS ticked, missed OR manual AS apart FROM cron_runs
  WHERE ${OF} AND seq <= ? AND status <> 'running' AND NOT (${SKIPPED} AND scheduled_at > ?) ORDER BY seq`;
const SPAN = `SELECT first_tick, last_tick FROM cron_forgotten
  WHERE ${OF} AND first_tick <= ? AND (? - first_tick) % 1000 = 0 ORDER BY first_tick DESC LIMIT 1`;
const LENGTHEN = `UPDATE cron_forgotten SET last_tick = ? WHERE ${OF} AND first_tick = ?`;
const BEGIN = 'INSERT INTO cron_forgotten (step, trig, first_tick, last_tick) VALUES (?, ?, ?, ?)';
const SHORTEN = `DELETE FROM cron_forgotten
  WHERE ${OF} AND first_tick <= (SELECT first_tick FROM cron_forgotten WHERE ${OF} ORDER BY first_tick DESC LIMIT 1 OFFSET ${KEPT_SPANS})`;

/** A trigger in the database's form. */
type Key = readonly [step: SqlValue, trigger: SqlValue];

/**
 * Removes records that are too many, and remembers their ticks as spans, so that none is claimed again. Ticks that nobody claimed
 * lie between spans: those that were missed, or that a clock set ahead for a while passed over. A span holds ticks that are whole
 * seconds apart: a time of day that comes again has ticks of its own, some milliseconds after those of the first time.
 */
export class ForgottenTicks {
  private readonly statements;

  constructor(connection: Connection) {
    const prepare = (sql: string) => connection.prepare(sql);
    this.statements = {
      superfluous: prepare(SUPERFLUOUS), removable: prepare(REMOVABLE), remove: prepare('DELETE FROM cron_runs WHERE seq = ?'),
      span: prepare(SPAN), lengthen: prepare(LENGTHEN), begin: prepare(BEGIN), shorten: prepare(SHORTEN),
    };
  }

  has(key: Key, tick: SqlValue): boolean {
    const span = this.statements.span.get(...key, tick, tick);
    return span !== undefined && Number(span['last_tick']) >= Number(tick);
  }

  /** Removes what is too many of a trigger; runs that go on stay. */
  forget(key: Key): void {
    const { superfluous, removable, remove } = this.statements;
    const newest = superfluous.get(...key);
    if (newest === undefined) return;
    for (const row of removable.all(...key, newest['seq'] ?? null, newest['fired_at'] ?? null)) {
      if (Number(row['ticked']) === 1) this.remember(key, row);
      remove.run(row['seq'] ?? null);
    }
  }

  /** Before a tick that was missed, or skipped before it came, others may have been left out, so a span begins with it. */
  private remember(key: Key, { scheduled_at: tick = null, apart }: SqlRow): void {
    const { span, lengthen, begin, shorten } = this.statements;
    const before = span.get(...key, tick, tick);
    if (before && Number(before['last_tick']) >= Number(tick)) return;
    if (before && Number(apart) === 0) lengthen.run(tick, ...key, before['first_tick'] ?? null);
    else {
      begin.run(...key, tick, tick);
      shorten.run(...key, ...key);
    }
  }
}
