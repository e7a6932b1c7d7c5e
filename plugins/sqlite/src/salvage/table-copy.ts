import type { Connection, SqlValue } from '../driver/driver.js';
import { faultOf } from '../driver/storage-fault.js';

/** What was read out of a table. */
export interface SalvagedTable {
  readonly table: string;
  readonly rows: number;
  /** Why not all of it could be read. */
  readonly lost?: string;
}

/** The name under which the database that is read is attached to the one that is written. */
export const IMAGE = 'image';

const ROWS_AT_ONCE = 256;

/** From the first row on (`>`), or from the last one back (`<`). */
interface Direction {
  readonly beyond: '>' | '<';
  readonly order: 'ASC' | 'DESC';
}

/** Where a row lies: for each column of the key its type and its value, of an integer in digits, since it may be larger than a number can tell apart. */
type Place = readonly { readonly type: SqlValue; readonly value: SqlValue }[];

const FORWARD: Direction = { beyond: '>', order: 'ASC' };
const BACKWARD: Direction = { beyond: '<', order: 'DESC' };

/**
 * Copies the rows of a table that can be read: from its beginning up to the damage, then from its end back to it. Rows stay within SQLite, so that every
 * value arrives as it is.
 */
export class TableCopy {
  private readonly columns: readonly string[];
  /** Columns that order its rows. */
  private readonly key: readonly string[];
  private rows = 0;

  /** @param to the database that is written, with the one that is read attached as `IMAGE` */
  constructor(private readonly to: Connection, private readonly table: string) {
    const info = to.prepare(`PRAGMA ${IMAGE}.table_info(${quoted(table)})`).all();
    const key = info.filter((row) => Number(row['pk']) > 0).sort((a, b) => Number(a['pk']) - Number(b['pk'])).map((row) => String(row['name']));
    this.key = key.length > 0 ? key : ['rowid'];
    // With the number of a row that has no other key, it is not copied again from the end.
    this.columns = [...key.length > 0 ? [] : ['rowid'], ...info.map((row) => String(row['name']))];
  }

  /** @throws what SQLite throws when they cannot be written */
  run(): SalvagedTable {
    const reason = this.copy(FORWARD);
    if (reason === undefined) return { table: this.table, rows: this.rows };
    this.copy(BACKWARD);
    return { table: this.table, rows: this.rows, lost: reason };
  }

  /** Why it ended before the last row; rows that are there already are skipped. */
  private copy(direction: Direction): string | undefined {
    let last: Place | undefined;
    for (let limit = ROWS_AT_ONCE; ;) {
      try {
        const next = this.placeAfter(direction, last, limit);
        this.rows += this.write(direction, last, limit);
        if (!next) return undefined;
        last = next;
      } catch (error) {
        const { kind, reason } = faultOf(error);
        // A full or failing disk says nothing of the rows, and a copy without them must not be taken for one of all that can be read.
        if (kind !== 'corrupt' && kind !== 'statement') throw error;
        if (limit === 1) return reason;
        limit = 1;
      }
    }
  }

  /** The last one of the next `limit` rows; undefined when there are fewer. */
  private placeAfter(direction: Direction, last: Place | undefined, limit: number): Place | undefined {
    const columns = this.key.map(quoted).map((column, index) => (
      `typeof(${column}) AS type_${index}, CASE typeof(${column}) WHEN 'integer' THEN CAST(${column} AS TEXT) ELSE ${column} END AS value_${index}`));
    const row = this.to.prepare(`SELECT ${columns.join(', ')} ${this.rowsAfter(direction, last)} LIMIT 1 OFFSET ${limit - 1}`).get(...valuesOf(last));
    return row && this.key.map((_, index) => ({ type: row[`type_${index}`] ?? null, value: row[`value_${index}`] ?? null }));
  }

  /** All of these rows or none: a statement that fails has changed nothing. */
  private write(direction: Direction, last: Place | undefined, limit: number): number {
    const columns = this.columns.map(quoted).join(', ');
    const rows = `SELECT ${columns} ${this.rowsAfter(direction, last)} LIMIT ${limit}`;
    return this.to.prepare(`INSERT OR IGNORE INTO main.${quoted(this.table)} (${columns}) ${rows}`).run(...valuesOf(last));
  }

  private rowsAfter({ beyond, order }: Direction, last: Place | undefined): string {
    const key = this.key.map(quoted).join(', ');
    const where = last ? `WHERE (${key}) ${beyond} (${last.map(({ type }) => (type === 'integer' ? 'CAST(? AS INTEGER)' : '?')).join(', ')})` : '';
    return `FROM ${IMAGE}.${quoted(this.table)} ${where} ORDER BY ${this.key.map((column) => `${quoted(column)} ${order}`).join(', ')}`;
  }
}

function valuesOf(place: Place = []): readonly SqlValue[] {
  return place.map(({ value }) => value);
}

function quoted(name: string): string {
  return name === 'rowid' ? name : `"${name.replaceAll('"', '""')}"`;
}
