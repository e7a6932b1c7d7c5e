import {
  OperationError, type StoreTransfer, type TransferContext, type TransferImport, type TransferMark, type TransferPage, type TransferPageOptions,
  type TransferSide,
} from '@treadle/api';
import type { Queries, Row } from '../store/connections.js';
import type { PostgresConfig } from '../store/store.config.js';
import { CopiedDatabase } from './copied-database.js';
import { columnsOf, pageSql, placeOf, rowOf, type TransferSlot, type TransferTable, writeSql } from './transfer-table.js';

/** Bytes of large texts after which a page ends. */
const MOST_BYTES = 4 * 1024 * 1024;

const MARK = 'SELECT mark, complete FROM store_copies WHERE slot = $1 AND side = $2';
const SET_MARK = `INSERT INTO store_copies (slot, side, mark, complete) VALUES ($1, $2, $3, $4)
  ON CONFLICT (slot, side) DO UPDATE SET mark = excluded.mark, complete = excluded.complete`;

/** What one slot keeps in the schema, opened to be copied. */
export class PostgresTransfer implements StoreTransfer {
  private constructor(private readonly database: CopiedDatabase, private readonly of: TransferSlot) {}

  /** @throws as `CopiedDatabase.open` */
  static async open(context: TransferContext, config: PostgresConfig, of: TransferSlot): Promise<StoreTransfer> {
    return new PostgresTransfer(await CopiedDatabase.shared(context, config), of);
  }

  get store(): string {
    return this.database.name;
  }

  get kinds(): readonly TransferTable[] {
    return this.of.tables;
  }

  async count(kind: string): Promise<number> {
    const [row] = await this.database.queries.rows<{ n: number }>(`SELECT count(*) AS n FROM ${this.table(kind).from}`);
    return row?.n ?? 0;
  }

  async exportRows(kind: string, { limit, after }: TransferPageOptions): Promise<TransferPage> {
    const table = this.table(kind);
    const place = after === undefined ? [] : JSON.parse(after) as readonly unknown[];
    const found = await this.database.queries.rows<Row>(pageSql(table, after === undefined, MOST_BYTES), [...place, limit]);
    const last = found.at(-1);
    const rows = found.map((row) => rowOf(table, row));
    return last === undefined ? { rows } : { rows, cursor: JSON.stringify(placeOf(table, last)) };
  }

  async importRows({ kind, rows, mark }: TransferImport): Promise<void> {
    const table = this.table(kind);
    const { write } = table;
    await this.database.write(async (queries) => {
      if (typeof write === 'string') await queries.rows(writeSql(table.fields, write), columnsOf(table, rows));
      else for (const row of rows) await queries.rows(write(row));
      await this.note(queries, 'to', mark);
    });
  }

  async finish(mark: TransferMark): Promise<void> {
    await this.database.write(async (queries) => {
      for (const sql of this.of.finish) await queries.rows(sql);
      await this.note(queries, 'to', mark);
    });
  }

  async mark(side: TransferSide): Promise<TransferMark | undefined> {
    const [row] = await this.database.queries.rows<{ mark: string; complete: boolean }>(MARK, [this.of.slot, side]);
    return row && { text: row.mark, complete: row.complete };
  }

  async setMark(side: TransferSide, mark: TransferMark): Promise<void> {
    await this.database.write((queries) => this.note(queries, side, mark));
  }

  private async note(queries: Queries, side: TransferSide, { text, complete }: TransferMark): Promise<void> {
    await queries.rows(SET_MARK, [this.of.slot, side, text, complete]);
  }

  private table(kind: string): TransferTable {
    const found = this.of.tables.find(({ name }) => name === kind);
    if (!found) throw new OperationError('StorageRefused', `the ${this.of.slot} store has no rows of the kind "${kind}"`);
    return found;
  }
}
