import { OperationError, type StateListOptions } from '@treadle/api';

/** Characters of values after which a page ends early. */
export const PAGE_CHARACTERS = 8_000_000;

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
  const after = cursor === undefined ? undefined : Buffer.from(decodeCursor(cursor, code));
  const found: { readonly name: string; readonly bytes: Buffer }[] = [];
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const bytes = Buffer.from(name);
    if (!after || Buffer.compare(bytes, after) > 0) found.push({ name, bytes });
  }
  return found.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ name }) => name);
}

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
