import type { Connection, SqlValue } from '../driver/driver.js';
import type { Operation } from '../store/store-area.js';
import { ID } from './queue-schema.js';

const REDRIVE = `INSERT INTO queue_deliveries (id, message, data, trace, enqueued_at, hops, kind, due_at, grp, headers)
  SELECT ${ID}, message, ifnull(?, data), trace, enqueued_at, 0, kind, ?, CASE WHEN ? THEN ifnull(grp, '') ELSE nullif(grp, '') END, headers
  FROM queue_dead WHERE id = ?`;

type RedriveRow = readonly [SqlValue, SqlValue, SqlValue, SqlValue, SqlValue, SqlValue];

/** Rows: letter, subscription, number, data or null, due or null, whether it is fifo. Returns for each whether the letter was still there. */
export function redriveOperation(connection: Connection): Operation {
  const redrive = connection.prepare(REDRIVE);
  const remove = connection.prepare('DELETE FROM queue_dead WHERE id = ?');
  return (rows) => rows.map((row) => {
    const [letter, subscription, number, data, due, fifo] = row as unknown as RedriveRow;
    if (redrive.run(subscription, number, data, due, fifo, letter) === 0) return false;
    remove.run(letter);
    return true;
  });
}

/** Rows: letters. Returns for each whether it was still there. */
export function discardOperation(connection: Connection): Operation {
  const remove = connection.prepare('DELETE FROM queue_dead WHERE id = ?');
  return (rows) => rows.map((row) => remove.runList(row) > 0);
}

/** One row: now, limit. Forgets keys of messages that may come again, and says how many. */
export function forgetOperation(connection: Connection): Operation {
  const forget = connection.prepare(`DELETE FROM queue_used WHERE (scope, key) IN
    (SELECT scope, key FROM queue_used WHERE until <= ? ORDER BY until LIMIT ?)`);
  return ([row = []]) => forget.runList(row);
}
