import type { SqlRow, SqlValue } from '../driver/driver.js';

/** Bytes of a value up to which it is read together with its row; larger ones one by one. */
const SMALL_BYTES = 16 * 1024;
/** Characters of values after which a reading of many rows ends, so that it never takes more memory than this and one row. */
const MOST_LENGTH = 4 * 1024 * 1024;

/** A column of a SELECT that is null where its value is large. SQLite knows that without reading it. */
export const smallOnly = (column: string): string => `CASE WHEN octet_length(${column}) <= ${SMALL_BYTES} THEN ${column} END AS ${column.slice(column.indexOf('.') + 1)}`;

/** Columns that may have no value, and `bytes`, what they weigh together: where that is much, they are null. */
export function weighed(...columns: readonly string[]): string {
  const weight = columns.map((column) => `ifnull(octet_length(${column}), 0)`).join(' + ');
  return [...columns.map((column) => `CASE WHEN ${weight} <= ${SMALL_BYTES} THEN ${column} END AS ${column}`), `${weight} AS bytes`].join(', ');
}

/** Whether the columns of a row that was read with `weighed` have to be read by themselves. */
export const isLeftOut = (row: SqlRow): boolean => Number(row['bytes']) > SMALL_BYTES;

/** Rows, and whether the query has more than these. */
export interface Weighed {
  readonly rows: readonly SqlRow[];
  readonly more: boolean;
}

/**
 * As many of the first rows, whose `column` was read with `smallOnly`, as may be in memory together, but at least one.
 * @param limit of the query: as many rows mean that there may be more
 * @param load reads the large value of a row
 */
export function withinWeight(found: readonly SqlRow[], limit: number, column: string, load: (row: SqlRow) => SqlValue | undefined): Weighed {
  const rows: SqlRow[] = [];
  let length = 0;
  for (const row of found) {
    const value = row[column] ?? load(row) ?? null;
    length += String(value).length;
    if (length > MOST_LENGTH && rows.length > 0) return { rows, more: true };
    rows.push(row[column] === null ? { ...row, [column]: value } : row);
  }
  return { rows, more: found.length === limit };
}
