import { OperationError, type StateListOptions } from '@treadle/api';

/** Characters of values after which a page ends early. */
export const PAGE_CHARACTERS = 8_000_000;

/** Text without these has the same order by its units as by its bytes in UTF-8, and a group may have very many names. */
const HIGH = /[\ud800-\uffff]/;

export type PageOptions = Required<Pick<StateListOptions, 'limit'>> & StateListOptions;

/** Where the page behind a name begins. */
export function encodeCursor(name: string): string {
  return Buffer.from(name, 'utf16le').toString('base64url');
}

/** Reverses `encodeCursor`. @throws an `OperationError` with the code for a text that no page gave */
export function decodeCursor(cursor: string, code: string): string {
  const name = Buffer.from(cursor, 'base64url').toString('utf16le');
  if (encodeCursor(name) !== cursor) throw new OperationError(code, 'cursor must be one that a former page gave');
  return name;
}

/**
 * The names that a page may have, in the order of their UTF-8 bytes: those that begin with the prefix, behind the cursor.
 * @throws an `OperationError` with the code for a cursor that no page gave
 */
export function namesOfPage(names: Iterable<string>, { prefix = '', cursor }: PageOptions, code: string): string[] {
  const after = cursor === undefined ? '' : decodeCursor(cursor, code);
  const found = [...names].filter((name) => name.startsWith(prefix));
  const compare = [after, ...found].some((name) => HIGH.test(name)) ? byBytes : byUnits;
  return found.filter((name) => cursor === undefined || compare(name, after) > 0).sort(compare);
}

function byUnits(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/**
 * Takes the first of the names for which there is something, until the page is full.
 * @param weigh characters that one takes of the page
 */
export async function takePage<T>(
  names: readonly string[], limit: number, find: (name: string) => Promise<T | undefined>, weigh: (found: T) => number = () => 0,
): Promise<{ readonly items: readonly { readonly name: string; readonly found: T }[]; readonly cursor?: string }> {
  const items: { name: string; found: T }[] = [];
  for (let at = 0, size = 0; at < names.length;) {
    const portion = names.slice(at, at + Math.min(100, limit + 1));
    at += portion.length;
    const all = await Promise.all(portion.map(async (name) => ({ name, found: await find(name) })));
    for (const { name, found } of all) {
      if (found === undefined) continue;
      if (items.length === limit || size > PAGE_CHARACTERS) return { items, cursor: encodeCursor(items.at(-1)?.name ?? '') };
      items.push({ name, found });
      size += weigh(found);
    }
  }
  return { items };
}
