import { decodeKey, encodeKey, type TransferKind, type TransferRow } from '@treadle/api';
import type { SqlRow, SqlValue } from '../driver/driver.js';
import type { Row } from '../store/store-area.js';

/** How a member of a row is stored. `name`: text of any characters. `delivery`: kind of a message, as its number. */
export type FieldType = 'name' | 'text' | 'number' | 'flag' | 'delivery';

/** A member of a row: the column that it is written from and, where it is not read from that, the expression. */
export interface Field {
  readonly type: FieldType;
  readonly column: string;
  readonly read?: string;
}

/** A column by which rows are ordered; integers may be larger than a number can tell apart. */
export interface KeyColumn {
  readonly column: string;
  readonly type: 'integer' | 'text';
}

/** How rows of a kind lie in the database. */
export interface TransferTable extends TransferKind {
  /** What follows FROM. */
  readonly from: string;
  readonly key: readonly KeyColumn[];
  /** In the order of the parameters of `write`. */
  readonly fields: Readonly<Record<string, Field>>;
  /** Column of large texts. */
  readonly heavy?: string;
  /** Writes the one row of `r`, whose columns are those of `fields`. */
  readonly write: string;
}

/** What a slot keeps. */
export interface TransferSlot {
  readonly slot: string;
  readonly tables: readonly TransferTable[];
  /** Statements without parameters that put the tables in order when all rows are there. */
  readonly finish: readonly string[];
}

const KINDS = ['queue', 'state', 'stream', 'trigger'];

export const field = (type: FieldType, column: string, read?: string): Field => ({ type, column, ...read !== undefined && { read } });
export const int = (column: string): KeyColumn => ({ column, type: 'integer' });
export const str = (column: string): KeyColumn => ({ column, type: 'text' });

/** Adds a row as it came, unless one of its key is there. */
export function plainInsert(table: string, columns: string): string {
  return `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM r WHERE true ON CONFLICT DO NOTHING`;
}

/** The statement that writes a row; its parameters are those of `valuesOf`. */
export function writeSql({ fields, write }: TransferTable): string {
  const columns = Object.values(fields).map(({ column }) => column);
  return `WITH r (${columns.join(', ')}) AS (VALUES (${columns.map(() => '?').join(', ')})) ${write}`;
}

/** The beginning of the statements that read a page: what is read, and which rows from which place on. */
export function pageSql({ from, key, fields, heavy }: TransferTable, first: boolean): { readonly rows: string; readonly weights: string } {
  const read = Object.values(fields).map(({ column, read: expression = column }) => `${expression} AS ${column}`);
  const place = key.map(({ column, type }, index) => `${type === 'integer' ? `CAST(${column} AS TEXT)` : column} AS key_${index}`);
  const columns = key.map(({ column }) => column).join(', ');
  const values = key.map(({ type }) => (type === 'integer' ? 'CAST(? AS INTEGER)' : '?')).join(', ');
  const behind = first ? '' : `WHERE (${columns}) > (${values})`;
  const rest = `FROM ${from} ${behind} ORDER BY ${columns} LIMIT ?`;
  return {
    rows: `SELECT ${[...read, ...place].join(', ')} ${rest}`,
    weights: `SELECT ${heavy === undefined ? '0' : `ifnull(octet_length(${heavy}), 0)`} AS bytes ${rest}`,
  };
}

export function rowOf({ fields }: TransferTable, row: SqlRow): TransferRow {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, { type, column }]) => {
    const value = row[column] ?? null;
    return value === null ? [] : [[name, fromSql(type, value)]];
  }));
}

/** Where a row lies, for the next page. */
export function placeOf({ key }: TransferTable, row: SqlRow): readonly SqlValue[] {
  return key.map((_, index) => row[`key_${index}`] ?? null);
}

export function valuesOf({ fields }: TransferTable, row: TransferRow): Row {
  return Object.entries(fields).map(([name, { type }]) => {
    const value = row[name];
    return value === undefined ? null : toSql(type, value);
  });
}

function fromSql(type: FieldType, value: SqlValue): string | number | boolean {
  switch (type) {
    case 'name': return decodeKey(String(value));
    case 'text': return String(value);
    case 'number': return Number(value);
    case 'flag': return Number(value) === 1;
    default: return KINDS[Number(value)] ?? 'queue';
  }
}

function toSql(type: FieldType, value: string | number | boolean): SqlValue {
  switch (type) {
    case 'name': return encodeKey(String(value));
    case 'text': return String(value);
    case 'number': return Number(value);
    case 'flag': return value === true ? 1 : 0;
    default: return Math.max(0, KINDS.indexOf(String(value)));
  }
}
