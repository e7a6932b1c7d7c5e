import { OperationError } from '@treadle/api';

/** After every text that begins with a prefix: no name has so many of the highest character behind each other. */
export const PAST = '\u{10ffff}'.repeat(8);
/** Characters of values after which a page ends early. */
export const PAGE_CHARACTERS = 8_000_000;

/** Where the page behind a name, in the database's form, begins. */
export function encodeCursor(name: string): string {
  return Buffer.from(name, 'utf8').toString('base64url');
}

/** Reverses `encodeCursor`. @throws an `OperationError` with the code for a text that no page gave */
export function decodeCursor(cursor: string, code: string): string {
  const name = Buffer.from(cursor, 'base64url').toString('utf8');
  if (encodeCursor(name) !== cursor) throw new OperationError(code, 'cursor must be one that a former page gave');
  return name;
}

/** A query of the distinct values of a column, hopping from one to the next: $1 the last one before the page or null, $2 prefix, $3 its end, $4 how many. */
export function distinctNames(table: string, column: string, live: string): string {
  const next = (after: string): string => `SELECT ${column} AS name FROM ${table} e
    WHERE ${after} AND ${column} >= $2 AND ${column} <= $3 AND left(${column}, length($2)) = $2 AND ${live} ORDER BY ${column} LIMIT 1`;
  return `WITH RECURSIVE names AS (
    (${next(`($1::text IS NULL OR ${column} > $1)`)}) UNION ALL
    SELECT (${next(`${column} > n.name`)}) FROM names n WHERE n.name IS NOT NULL)
    SELECT name FROM names WHERE name IS NOT NULL LIMIT $4`;
}
