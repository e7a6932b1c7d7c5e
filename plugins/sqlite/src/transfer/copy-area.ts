import { cronTransfer } from '../cron/cron-transfer.js';
import type { Connection, Statement } from '../driver/driver.js';
import { queueTransfer } from '../queue/queue-transfer.js';
import { stateTransfer } from '../state/state-transfer.js';
import type { Operation, StoreArea } from '../store/store-area.js';
import { streamTransfer } from '../stream/stream-transfer.js';
import { writeSql } from './transfer-table.js';

/** `side`: `to` where something is copied to this store, `from` where something of it is copied. `mark`: how far, as the copier notes it. */
const VERSION_1 = `
  CREATE TABLE store_copies (slot TEXT NOT NULL, side TEXT NOT NULL, mark TEXT NOT NULL, complete INTEGER NOT NULL, PRIMARY KEY (slot, side)) WITHOUT ROWID;`;

const SLOTS = [stateTransfer, queueTransfer, streamTransfer, cronTransfer];

/** SQL by the name that a row of `copy.write` begins with. */
const STATEMENTS: ReadonlyMap<string, readonly string[]> = new Map([
  ...SLOTS.flatMap(({ slot, tables }) => tables.map((table) => [`${slot}.${table.name}`, [writeSql(table)]] as const)),
  ...SLOTS.map(({ slot, finish }) => [`${slot} finish`, finish] as const),
  ['mark', [`INSERT INTO store_copies (slot, side, mark, complete) VALUES (?, ?, ?, ?)
    ON CONFLICT (slot, side) DO UPDATE SET mark = excluded.mark, complete = excluded.complete`]],
]);

/** What copies of this store to another one, or the other way round, write. */
export const copyArea: StoreArea = {
  name: 'copy',
  migrations: [VERSION_1],
  freeing: new Set(['copy.end']),
  operations: (connection) => ({ 'copy.write': writeRows(connection), 'copy.end': endCopies(connection) }),
};

/** An engine begins with the store: what was copied from it so far is not all of it any more. */
function endCopies(connection: Connection): Operation {
  const end = connection.prepare("DELETE FROM store_copies WHERE side = 'from'");
  return () => {
    end.run();
    return null;
  };
}

/** Rows: what to do, and its parameters. Prepared when they are needed first: most engines never copy. */
function writeRows(connection: Connection): Operation {
  const prepared = new Map<string, readonly Statement[]>();
  return (rows) => {
    for (const [name, ...parameters] of rows) {
      const statements = prepared.get(String(name)) ?? (STATEMENTS.get(String(name)) ?? []).map((sql) => connection.prepare(sql));
      prepared.set(String(name), statements);
      for (const statement of statements) statement.runList(parameters);
    }
    return null;
  };
}
