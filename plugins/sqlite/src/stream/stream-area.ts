import type { Connection, SqlValue } from '../driver/driver.js';
import { eachRow } from '../store/each-row.js';
import type { Operation, StoreArea } from '../store/store-area.js';

/**
 * `ord` orders the items by their creation. `stream_groups.seq`: no event of the group has a higher position, so it is
 * written ahead in blocks; `floor`: no deleted item of the group has a higher revision. `stream_store.floor` is both for
 * the groups that were forgotten.
 */
const VERSION_1 = `
  CREATE TABLE stream_items (
    ord INTEGER PRIMARY KEY, stream TEXT NOT NULL, grp TEXT NOT NULL, item TEXT NOT NULL, value TEXT NOT NULL, revision INTEGER NOT NULL,
    UNIQUE (stream, grp, item));
  CREATE TABLE stream_groups (
    stream TEXT NOT NULL, grp TEXT NOT NULL, seq INTEGER NOT NULL, floor INTEGER NOT NULL, used_at INTEGER NOT NULL,
    PRIMARY KEY (stream, grp)) WITHOUT ROWID;
  CREATE TABLE stream_changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, stream TEXT NOT NULL, grp TEXT NOT NULL, item TEXT NOT NULL,
    kind TEXT NOT NULL, data TEXT NOT NULL, origin TEXT NOT NULL);
  CREATE TABLE stream_store (only INTEGER PRIMARY KEY CHECK (only = 1), epoch TEXT, floor INTEGER NOT NULL);
  INSERT INTO stream_store (only, epoch, floor) VALUES (1, NULL, 0);`;

const PUT = `INSERT INTO stream_items (ord, stream, grp, item, value, revision) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (stream, grp, item) DO UPDATE SET value = excluded.value, revision = excluded.revision`;
/** Rows: stream, group, seq, floor, time of use. Of two that are under way the later one may be the lower, where the first was given up: positions up to the higher one count as given. */
const POSITION = `INSERT INTO stream_groups (stream, grp, seq, floor, used_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (stream, grp) DO UPDATE SET seq = max(seq, excluded.seq), floor = excluded.floor, used_at = excluded.used_at`;
/** The same when nothing is under way: what was not given of the block is given back. */
const RELEASE = POSITION.replace('max(seq, excluded.seq)', 'excluded.seq');
const RECORD = 'INSERT INTO stream_changes (stream, grp, item, id, kind, data, origin) VALUES (?, ?, ?, ?, ?, ?, ?)';
/** Rows: the id of a change. */
const SETTLE = 'DELETE FROM stream_changes WHERE id = ?';
const UNUSED = `SELECT stream, grp, max(seq, floor) AS high FROM stream_groups AS g WHERE used_at < ?
  AND NOT EXISTS (SELECT 1 FROM stream_items AS i WHERE i.stream = g.stream AND i.grp = g.grp) LIMIT ?`;

type Values = readonly SqlValue[];

/** One write of an item, in the order of the columns; plain, so that it can travel to the writer thread. */
export interface ItemRow {
  readonly place: readonly [stream: string, group: string, item: string];
  readonly ord: number;
  readonly text: string | null;
  readonly revision: number;
  /** seq, floor, time of use: when the group's row changes as well. */
  readonly position?: readonly [seq: number, floor: number, usedAt: number] | undefined;
  /** id, kind, data, origin. */
  readonly change?: readonly [id: string, kind: string, data: string, origin: string] | undefined;
}

/** Where the stream adapter keeps items, positions and changes. */
export const streamArea: StoreArea = {
  name: 'stream',
  migrations: [VERSION_1],
  // What happens after the backup has positions that a restored store gives again: another order, so another epoch.
  onCopy: 'UPDATE stream_store SET epoch = NULL',
  // Without its epoch an engine does not start, and without positions what is stored cannot be told.
  freeing: new Set(['stream.delete', 'stream.settle', 'stream.forget', 'stream.epoch', 'stream.reset', 'stream.position', 'stream.release']),
  operations: (connection) => {
    const write = writeItem(connection);
    return {
      'stream.put': write, 'stream.delete': write, 'stream.settle': eachRow(connection, SETTLE),
      'stream.position': eachRow(connection, POSITION), 'stream.release': eachRow(connection, RELEASE),
      'stream.forget': forgetGroups(connection), 'stream.epoch': setEpoch(connection),
      'stream.reset': resetPositions(connection),
    };
  },
};

/** The form that `stream.put` and `stream.delete` take. */
export function rowOf({ place, ord, text, revision, position, change }: ItemRow): Values {
  return [...place, ord, text, revision, ...position ?? [null, null, null], ...change ?? []];
}

function writeItem(connection: Connection): Operation {
  const put = connection.prepare(PUT);
  const remove = connection.prepare('DELETE FROM stream_items WHERE stream = ? AND grp = ? AND item = ?');
  const position = connection.prepare(POSITION);
  const record = connection.prepare(RECORD);
  return (rows) => {
    for (const row of rows) {
      const [stream = null, group = null, item = null, ord = null, text = null, revision = null, seq = null, floor = null, usedAt = null] = row;
      if (text === null) remove.run(stream, group, item);
      else put.run(ord, stream, group, item, text, revision);
      if (seq !== null) position.run(stream, group, seq, floor, usedAt);
      if (row.length > 9) record.run(stream, group, item, ...row.slice(9));
    }
    return null;
  };
}

/** One row: last use before which a group without items is forgotten, and how many at most. Returns how many it found. */
function forgetGroups(connection: Connection): Operation {
  const unused = connection.prepare(UNUSED);
  const raise = connection.prepare('UPDATE stream_store SET floor = max(floor, ?)');
  const forget = connection.prepare('DELETE FROM stream_groups WHERE stream = ? AND grp = ?');
  return ([row]) => {
    const [before = null, limit = null] = row ?? [];
    const found = unused.all(before, limit);
    for (const { stream = null, grp = null, high = null } of found) {
      raise.run(high);
      forget.run(stream, grp);
    }
    return found.length;
  };
}

/** One row: the epoch. */
function setEpoch(connection: Connection): Operation {
  const set = connection.prepare('UPDATE stream_store SET epoch = ?');
  return ([row]) => {
    set.run(row?.[0] ?? null);
    return null;
  };
}

/** A store that cannot keep its positions over a power cut begins again: with another epoch, from 0. */
function resetPositions(connection: Connection): Operation {
  const statements = ['UPDATE stream_groups SET seq = 0 WHERE seq > 0', 'UPDATE stream_store SET epoch = NULL'].map((sql) => connection.prepare(sql));
  return () => {
    for (const statement of statements) statement.run();
    return null;
  };
}
