import type { Connection, SqlRow, SqlValue } from '../driver/driver.js';
import { faultOf } from '../driver/storage-fault.js';

/** What was read out of a table. */
export interface SalvagedTable {
  readonly table: string;
  readonly rows: number;
  /** Why not all of it could be read. */
  readonly lost?: string;
}

const ROWS_AT_ONCE = 256;

/** From the first row on (`>`), or from the last one back (`<`). */
interface Direction {
  readonly beyond: '>' | '<';
  readonly order: 'ASC' | 'DESC';
}

const FORWARD: Direction = { beyond: '>', order: 'ASC' };
const BACKWARD: Direction = { beyond: '<', order: 'DESC' };

/** Copies the rows of a table that can be read: from its beginning up to the damage, then from its end back to it. */
export class TableCopy {
  private readonly columns: readonly string[];
  /** Columns that order its rows. */
  private readonly key: readonly string[];
  private rows = 0;

  constructor(private readonly from: Connection, private readonly to: Connection, private readonly table: string) {
    const info = from.prepare(`PRAGMA table_info("${table}")`).all();
    this.columns = info.map((row) => String(row['name']));
    const key = info.filter((row) => Number(row['pk']) > 0).sort((a, b) => Number(a['pk']) - Number(b['pk'])).map((row) => String(row['name']));
    this.key = key.length > 0 ? key : ['rowid'];
  }

  run(): SalvagedTable {
    const reason = this.copy(FORWARD);
    if (reason === undefined) return { table: this.table, rows: this.rows };
    this.copy(BACKWARD);
    return { table: this.table, rows: this.rows, lost: reason };
  }

  /** Why it ended before the last row; rows that are there already are skipped. */
  private copy(direction: Direction): string | undefined {
    let last: readonly SqlValue[] | undefined;
    for (let limit = ROWS_AT_ONCE; ;) {
      try {
        const rows = this.read(direction, last, limit);
        this.write(rows);
        if (rows.length < limit) return undefined;
        last = this.keyOf(rows.at(-1));
      } catch (error) {
        if (limit === 1) return faultOf(error).reason;
        limit = 1;
      }
    }
  }

  private read({ beyond, order }: Direction, last: readonly SqlValue[] | undefined, limit: number): readonly SqlRow[] {
    const key = this.key.map(quoted).join(', ');
    const where = last ? `WHERE (${key}) ${beyond} (${this.key.map(() => '?').join(', ')})` : '';
    const sort = this.key.map((column) => `${quoted(column)} ${order}`).join(', ');
    const rowid = this.key[0] === 'rowid' ? 'rowid, ' : '';
    return this.from.prepare(`SELECT ${rowid}* FROM ${quoted(this.table)} ${where} ORDER BY ${sort} LIMIT ${limit}`).all(...last ?? []);
  }

  private write(rows: readonly SqlRow[]): void {
    const insert = this.to.prepare(`INSERT OR IGNORE INTO ${quoted(this.table)} (${this.columns.map(quoted).join(', ')}) `
      + `VALUES (${this.columns.map(() => '?').join(', ')})`);
    this.to.exec('BEGIN');
    for (const row of rows) this.rows += insert.run(...this.columns.map((column) => row[column] ?? null));
    this.to.exec('COMMIT');
  }

  private keyOf(row: SqlRow | undefined): readonly SqlValue[] {
    return this.key.map((column) => row?.[column] ?? null);
  }
}

function quoted(name: string): string {
  return name === 'rowid' ? name : `"${name.replaceAll('"', '""')}"`;
}
