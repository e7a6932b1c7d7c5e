import { encodeKey, OperationError } from '@treadle/api';

/** Bytes of values after which a script stops, so that it holds nobody else up for long, and its answer comes soon. */
export const MOST_BYTES = 1_000_000;
/** Bytes of values after which a page ends early. */
export const PAGE_BYTES = 4_000_000;

/** What names are read: both ends in the order of their bytes, as ZRANGE BYLEX takes them. */
export interface NameRange {
  readonly from: Buffer;
  readonly to: Buffer;
}

const FROM = Buffer.from('[');
const BEYOND = Buffer.from('(');
/** No byte of UTF-8 is so high. */
const HIGHEST = Buffer.from([0xff]);

/** The names that begin with a prefix, behind a cursor. @throws an `OperationError` with the code for a cursor that no page gave */
export function nameRange({ prefix = '', cursor }: { readonly prefix?: string; readonly cursor?: string }, code: string): NameRange {
  const first = Buffer.from(encodeKey(prefix));
  const last = cursor === undefined ? undefined : decodeCursor(cursor, code);
  const from = last && Buffer.compare(last, first) >= 0 ? Buffer.concat([BEYOND, last]) : Buffer.concat([FROM, first]);
  return { from, to: Buffer.concat([BEYOND, first, HIGHEST]) };
}

/** The rest of a range behind a name in the store's form. */
export function rangeBehind(name: string, { to }: NameRange): NameRange {
  return { from: Buffer.concat([BEYOND, Buffer.from(name)]), to };
}

/** Where the page behind a name, in the store's form, begins. */
export function encodeCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function decodeCursor(cursor: string, code: string): Buffer {
  const name = Buffer.from(cursor, 'base64url');
  if (name.toString('base64url') !== cursor) throw new OperationError(code, 'cursor must be one that a former page gave');
  return name;
}
