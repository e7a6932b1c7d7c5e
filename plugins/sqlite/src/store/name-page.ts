import { decodeKey, type StateGroupPage } from '@treadle/api';
import type { SqlValue } from '../driver/driver.js';

/** After every name that starts with the parameter before it: 0xFF does not occur in UTF-8. */
export const END = "CAST(X'FF' AS TEXT)";

/** Hops from name to name, so that the number of rows with the same one does not matter. `next`: the first one behind another. */
export function namePage(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string }, next: (last?: string) => SqlValue | undefined,
): StateGroupPage {
  const names: string[] = [];
  let last = cursor === undefined ? undefined : decodeCursor(cursor);
  while (names.length <= limit) {
    const name = next(last);
    if (name === undefined) return { items: names.map(decodeKey) };
    last = String(name);
    names.push(last);
  }
  const shown = names.slice(0, limit);
  return { items: shown.map(decodeKey), cursor: encodeCursor(shown.at(-1) ?? '') };
}

/** Where the page behind a name, in the database's form, begins. */
export function encodeCursor(name: string): string {
  return Buffer.from(name, 'utf8').toString('base64url');
}

/** Reverses `encodeCursor`. */
export function decodeCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString('utf8');
}
