import type { SqlRow, SqlValue } from '../driver/driver.js';

/** Bytes of a value up to which it is read together with its row; larger ones one by one. */
const SMALL_BYTES = 16 * 1024;
/** Bytes of values after which a reading of many rows ends, so that it never takes more memory than this and one row. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Bytes of several columns together. SQLite knows it without reading the values. */
const weightOf = (columns: readonly string[]): string => columns.map((column) => `ifnull(octet_length(${column}), 0)`).join(' + ');

/** Columns of a SELECT that may be large, and `bytes`, what they weigh together: where that is much, they are null and read by whoever needs them. */
export function weighed(...columns: readonly string[]): string {
  const weight = weightOf(columns);
  const small = columns.map((column) => `CASE WHEN ${weight} <= ${SMALL_BYTES} THEN ${column} END AS ${column.slice(column.indexOf('.') + 1)}`);
  return [...small, `${weight} AS bytes`].join(', ');
}

/** Whether the large columns of a row have to be read by themselves. */
export const isLeftOut = (row: SqlRow): boolean => Number(row['bytes']) > SMALL_BYTES;

/** Rows, and whether the query has more than these. */
export interface Weighed {
  readonly rows: readonly SqlRow[];
  readonly more: boolean;
}

/**
 * As many of the first rows, read with `weighed`, as may be in memory together, but at least one.
 * @param limit of the query: as many rows mean that there may be more
 * @param load reads the large column of a row
 */
export function withinWeight(found: readonly SqlRow[], limit: number, column: string, load: (row: SqlRow) => SqlValue | undefined): Weighed {
  const rows: SqlRow[] = [];
  let bytes = 0;
  for (const row of found) {
    bytes += Number(row['bytes']);
    if (bytes > MOST_BYTES && rows.length > 0) return { rows, more: true };
    rows.push(isLeftOut(row) ? { ...row, [column]: load(row) ?? null } : row);
  }
  return { rows, more: found.length === limit };
}
