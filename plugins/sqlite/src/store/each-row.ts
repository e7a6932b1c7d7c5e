import type { Connection } from '../driver/driver.js';
import type { Operation } from './store-area.js';

/** Runs a statement for each row and says how many rows of the table each changed. */
export function eachRow(connection: Connection, sql: string): Operation {
  const statement = connection.prepare(sql);
  return (rows) => rows.map((row) => statement.runList(row));
}
