import type { Connection, SqlValue } from '../driver/driver.js';
import { eachRow } from '../store/each-row.js';
import type { Operation, Row, StoreArea } from '../store/store-area.js';

/**
 * A deleted or expired key stays for a while as a row without value, so that its revisions go on counting; after that
 * the group remembers the highest revision of all that it forgot, and new keys of the group count from there. Rows lie
 * in the order of their first write, so that a commit touches few pages; the order of the keys is the index's.
 * `due_at`: when a value expires, or when a row without value is forgotten; milliseconds since the epoch.
 */
const VERSION_1 = `
  CREATE TABLE state_entries (
    id INTEGER PRIMARY KEY, grp TEXT NOT NULL, key TEXT NOT NULL, value TEXT, revision INTEGER NOT NULL, due_at INTEGER,
    UNIQUE (grp, key));
  CREATE INDEX state_entries_due ON state_entries (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE state_floors (grp TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE state_changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, grp TEXT NOT NULL, key TEXT NOT NULL,
    old_value TEXT, new_value TEXT, revision INTEGER NOT NULL);`;

/** Where a change comes from; null in changes that version 1 kept. */
const VERSION_2 = 'ALTER TABLE state_changes ADD COLUMN origin TEXT';

const PUT = `INSERT INTO state_entries (grp, key, value, revision, due_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (grp, key) DO UPDATE SET value = excluded.value, revision = excluded.revision, due_at = excluded.due_at`;
const RECORD = 'INSERT INTO state_changes (id, grp, key, old_value, new_value, revision, origin) VALUES (?, ?, ?, ?, ?, ?, ?)';
/** Rows: the id of a change. */
const SETTLE = 'DELETE FROM state_changes WHERE id = ?';
const DUE = 'SELECT grp, key, value IS NOT NULL AS live, revision FROM state_entries WHERE due_at <= ? ORDER BY due_at LIMIT ?';
const FLOOR = `INSERT INTO state_floors (grp, revision) VALUES (?, ?)
  ON CONFLICT (grp) DO UPDATE SET revision = max(revision, excluded.revision)`;

/** Where the state adapter keeps its entries. */
export const stateArea: StoreArea = {
  name: 'state',
  migrations: [VERSION_1, VERSION_2],
  freeing: new Set(['state.delete', 'state.settle', 'state.sweep']),
  operations: (connection) => {
    const put = putRows(connection);
    return { 'state.put': put, 'state.delete': put, 'state.settle': eachRow(connection, SETTLE), 'state.sweep': sweepRows(connection) };
  },
};

/** Rows: group, key, value or null, revision, due; of a recorded write also the change's id, old and new value, and origin. */
function putRows(connection: Connection): Operation {
  const put = connection.prepare(PUT);
  const record = connection.prepare(RECORD);
  return (rows) => {
    for (const row of rows) {
      const [group, key, value, revision, due, change, oldValue, newValue, origin] = row as PutRow;
      put.run(group, key, value, revision, due);
      if (change !== undefined) record.run(change, group, key, oldValue, newValue, revision, origin);
    }
    return null;
  };
}

type PutRow = readonly [SqlValue, SqlValue, SqlValue, SqlValue, SqlValue, SqlValue | undefined, SqlValue, SqlValue, SqlValue];

/** One row: now, when what expires now is forgotten, and how many rows at most. Returns how many it found. */
function sweepRows(connection: Connection): Operation {
  const due = connection.prepare(DUE);
  const put = connection.prepare(PUT);
  const floor = connection.prepare(FLOOR);
  const forget = connection.prepare('DELETE FROM state_entries WHERE grp = ? AND key = ?');
  return ([row]) => {
    const [now, forgetAt, limit] = row as Row & readonly [SqlValue, SqlValue, SqlValue];
    const found = due.all(now, limit);
    for (const { grp = null, key = null, live, revision = null } of found) {
      if (live === 1) {
        put.run(grp, key, null, revision, forgetAt);
        continue;
      }
      floor.run(grp, revision);
      forget.run(grp, key);
    }
    return found.length;
  };
}
