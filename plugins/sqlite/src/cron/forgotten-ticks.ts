import type { Connection, SqlRow, SqlValue } from '../driver/driver.js';

/** Runs of a trigger that are kept. */
const KEPT_RUNS = 100;
/** Spans of a trigger that are kept; the lowest go first. */
const KEPT_SPANS = 1_000;

const OF = 'step = ? AND trig = ?';
/** The record that is one too many, by the order of the claims: a wrong clock may have dated some of them far ahead. */
const SUPERFLUOUS = `SELECT seq FROM cron_runs WHERE ${OF} ORDER BY seq DESC LIMIT 1 OFFSET ${KEPT_RUNS}`;
const REMOVABLE = `SELECT seq, scheduled_at, manual, missed FROM cron_runs WHERE ${OF} AND seq <= ? AND status <> 'running' ORDER BY seq`;
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
    const newest = superfluous.get(...key)?.['seq'];
    if (newest === undefined) return;
    for (const row of removable.all(...key, newest)) {
      if (Number(row['manual']) === 0) this.remember(key, row);
      remove.run(row['seq'] ?? null);
    }
  }

  /** Before a tick that was missed others may have been left out, so a span begins with it. */
  private remember(key: Key, { scheduled_at: tick = null, missed }: SqlRow): void {
    const { span, lengthen, begin, shorten } = this.statements;
    const before = span.get(...key, tick, tick);
    if (before && Number(before['last_tick']) >= Number(tick)) return;
    if (before && Number(missed) === 0) lengthen.run(tick, ...key, before['first_tick'] ?? null);
    else {
      begin.run(...key, tick, tick);
      shorten.run(...key, ...key);
    }
  }
}
