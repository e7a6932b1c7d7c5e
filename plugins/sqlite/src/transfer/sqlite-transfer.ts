import {
  OperationError, type StoreTransfer, type TransferImport, type TransferMark, type TransferPage, type TransferPageOptions, type TransferSide,
} from '@treadle/api';
import type { SqlValue } from '../driver/driver.js';
import type { SqliteStore } from '../store/sqlite-store.js';
import type { Row } from '../store/store-area.js';
import { pageSql, placeOf, rowOf, type TransferSlot, type TransferTable, valuesOf } from './transfer-table.js';

/** Bytes of large texts after which a page ends. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What one slot keeps in the store, opened to be copied. */
export class SqliteTransfer implements StoreTransfer {
  readonly store: string;

  constructor(private readonly opened: SqliteStore, private readonly of: TransferSlot) {
    this.store = `SQLite ${opened.file} (${opened.identity.id})`;
  }

  get kinds(): readonly TransferTable[] {
    return this.of.tables;
  }

  async count(kind: string): Promise<number> {
    const row = this.opened.reads.prepare(`SELECT count(*) AS n FROM ${this.table(kind).from}`).get();
    return Promise.resolve(Number(row?.['n'] ?? 0));
  }

  async exportRows(kind: string, { limit, after }: TransferPageOptions): Promise<TransferPage> {
    const table = this.table(kind);
    const place = after === undefined ? [] : JSON.parse(after) as readonly SqlValue[];
    const { rows: sql, weights } = pageSql(table, after === undefined);
    const { reads } = this.opened;
    const most = fitting(reads.prepare(weights).all(...place, limit).map((row) => Number(row['bytes'])));
    const found = most === 0 ? [] : reads.prepare(sql).all(...place, most);
    const last = found.at(-1);
    const rows = found.map((row) => rowOf(table, row));
    return Promise.resolve(last === undefined ? { rows } : { rows, cursor: JSON.stringify(placeOf(table, last)) });
  }

  async importRows({ kind, rows, mark }: TransferImport): Promise<void> {
    const table = this.table(kind);
    const name = `${this.of.slot}.${kind}`;
    await this.write([...rows.map((row): Row => [name, ...valuesOf(table, row)]), this.markRow('to', mark)]);
  }

  async finish(mark: TransferMark): Promise<void> {
    await this.write([[`${this.of.slot} finish`], this.markRow('to', mark)]);
  }

  async mark(side: TransferSide): Promise<TransferMark | undefined> {
    const row = this.opened.reads.prepare('SELECT mark, complete FROM store_copies WHERE slot = ? AND side = ?').get(this.of.slot, side);
    return Promise.resolve(row && { text: String(row['mark']), complete: Number(row['complete']) === 1 });
  }

  async setMark(side: TransferSide, mark: TransferMark): Promise<void> {
    await this.write([this.markRow(side, mark)]);
  }

  private markRow(side: TransferSide, { text, complete }: TransferMark): Row {
    return ['mark', this.of.slot, side, text, complete ? 1 : 0];
  }

  private async write(rows: readonly Row[]): Promise<void> {
    await this.opened.apply({ operation: 'copy.write', rows });
  }

  private table(kind: string): TransferTable {
    const found = this.of.tables.find(({ name }) => name === kind);
    if (!found) throw new OperationError('StorageRefused', `the ${this.of.slot} store has no rows of the kind "${kind}"`);
    return found;
  }
}

/** How many of the first rows may be in memory together: at least one. */
function fitting(weights: readonly number[]): number {
  let bytes = 0;
  const most = weights.findIndex((weight) => (bytes += weight) > MOST_BYTES);
  return most < 0 ? weights.length : Math.max(1, most);
}
