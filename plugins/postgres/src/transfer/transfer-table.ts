import { decodeKey, encodeKey, type TransferKind, type TransferRow } from '@treadle/api';
import { KINDS } from '../queue/enqueue-plan.js';
import type { Row } from '../store/connections.js';

/** How a member of a row is stored. `name`: text of any characters. `delivery`: kind of a message, as its number. */
export type FieldType = 'name' | 'text' | 'number' | 'real' | 'flag' | 'delivery';

const SQL_TYPES: Readonly<Record<FieldType, string>> = {
  name: 'text', text: 'text', number: 'bigint', real: 'double precision', flag: 'boolean', delivery: 'smallint',
};

/** A member of a row: the column that it is written from and, where it is not read from that, the expression. */
export interface Field {
  readonly type: FieldType;
  readonly column: string;
  readonly read?: string;
}

/** A column by which rows are ordered. */
export interface KeyColumn {
  readonly column: string;
  readonly type: 'bigint' | 'text';
}

/** How rows of a kind lie in the database. */
export interface TransferTable extends TransferKind {
  /** What follows FROM. */
  readonly from: string;
  readonly key: readonly KeyColumn[];
  readonly fields: Readonly<Record<string, Field>>;
  /** Column of large texts. */
  readonly heavy?: string;
  /** Writes the rows of `r`, whose columns are those of `fields` and `nr`, their order; or the statement for a row. */
  readonly write: string | ((row: TransferRow) => string);
}

/** What a slot keeps. */
export interface TransferSlot {
  readonly slot: string;
  readonly tables: readonly TransferTable[];
  /** Puts the tables in order when all rows are there. */
  readonly finish: readonly string[];
}

export const field = (type: FieldType, column: string, read?: string): Field => ({ type, column, ...read !== undefined && { read } });
export const int = (column: string): KeyColumn => ({ column, type: 'bigint' });
export const str = (column: string): KeyColumn => ({ column, type: 'text' });

/** Adds rows as they come, but for those whose key is there. */
export function plainInsert(table: string, columns: string): string {
  return `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM r ORDER BY nr ON CONFLICT DO NOTHING`;
}

/** Goes on behind the highest number of a column that the database numbers itself. */
export function goOnBehind(table: string, column: string, least = '1'): string {
  return `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), GREATEST(${least}, (SELECT max(${column}) FROM ${table})))`;
}

/** A statement that writes rows, with an array for each field. */
export function writeSql(fields: TransferTable['fields'], write: string): string {
  const all = Object.values(fields);
  const arrays = all.map(({ type }, index) => `$${index + 1}::${SQL_TYPES[type]}[]`).join(', ');
  return `WITH r AS (SELECT * FROM unnest(${arrays}) WITH ORDINALITY AS u (${all.map(({ column }) => column).join(', ')}, nr)) ${write}`;
}

/** Reads a page; parameters: the place behind which it begins, unless it is the first, and how many rows. Rows are left out that make it too large, but for the first. */
export function pageSql({ from, key, fields, heavy }: TransferTable, first: boolean, mostBytes: number): string {
  const read = Object.values(fields).map(({ column, read: expression = column }) => `${expression} AS ${column}`);
  const place = key.map(({ column }, index) => `${column} AS key_${index}`);
  const columns = key.map(({ column }) => column).join(', ');
  const values = key.map(({ type }, index) => `$${index + 1}::${type}`).join(', ');
  const bytes = heavy === undefined ? '0' : `coalesce(octet_length(${heavy}), 0)`;
  const page = `SELECT ${[...read, ...place].join(', ')}, ${bytes} AS bytes FROM ${from}
    ${first ? '' : `WHERE (${columns}) > (${values})`} ORDER BY ${columns} LIMIT $${first ? 1 : key.length + 1}`;
  const order = key.map((_, index) => `key_${index}`).join(', ');
  return `SELECT * FROM (SELECT l.*, sum(bytes) OVER (ORDER BY ${order}) AS weight FROM (${page}) l) p WHERE weight - bytes <= ${mostBytes} ORDER BY ${order}`;
}

export function rowOf({ fields }: TransferTable, row: Row): TransferRow {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, { type, column }]) => {
    const value = row[column] ?? null;
    return value === null ? [] : [[name, fromSql(type, value)]];
  }));
}

/** Where a row lies, for the next page. */
export function placeOf({ key }: TransferTable, row: Row): readonly unknown[] {
  return key.map((_, index) => row[`key_${index}`]);
}

/** An array for each field. */
export function columnsOf({ fields }: TransferTable, rows: readonly TransferRow[]): readonly unknown[][] {
  return Object.entries(fields).map(([name, { type }]) => rows.map((row) => {
    const value = row[name];
    return value === undefined ? null : toSql(type, value);
  }));
}

function fromSql(type: FieldType, value: unknown): string | number | boolean {
  switch (type) {
    case 'name': return decodeKey(String(value));
    case 'delivery': return KINDS[Number(value)] ?? 'queue';
    default: return value as string | number | boolean;
  }
}

function toSql(type: FieldType, value: string | number | boolean): string | number | boolean {
  switch (type) {
    case 'name': return encodeKey(String(value));
    case 'delivery': return Math.max(0, (KINDS as readonly string[]).indexOf(String(value)));
    case 'number': return Math.round(Number(value));
    default: return value;
  }
}
