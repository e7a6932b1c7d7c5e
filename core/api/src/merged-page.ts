/** A page of names or of what has one, in ascending order of the names' UTF-8 bytes. */
export interface NamedPage<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
}

/** Which page is wanted. */
export interface Paging {
  readonly prefix?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** What is laid over a listing. */
export interface PageOverlay<T> {
  nameOf(item: T): string;
  /** In any order. One that is listed as well takes its place. */
  readonly added: readonly T[];
  /** Whether a listed name is to be left out. */
  isGone(name: string): boolean | Promise<boolean>;
}

/** A page of a listing with something laid over it. Cursors are its own: they must not be mixed with those of `list`. */
export async function mergedPage<T>(
  paging: Paging, list: (paging: Paging) => Promise<NamedPage<T>>, { nameOf, added, isGone }: PageOverlay<T>,
): Promise<{ readonly items: T[]; readonly cursor?: string }> {
  const { prefix = '', limit, cursor, ...rest } = paging;
  const [from, after] = cursorOf(cursor);
  const { items: listed, cursor: next } = await list({ ...rest, limit, ...prefix !== '' && { prefix }, ...from !== null && { cursor: from } });
  const last = listed.at(-1);
  const end = next === undefined || last === undefined ? undefined : nameOf(last);
  const isIn = (name: string): boolean => name.startsWith(prefix) && (after === null || order(name, after) > 0) && (end === undefined || order(name, end) <= 0);
  const own = new Set(added.map(nameOf));
  const found: T[] = added.filter((item) => isIn(nameOf(item)));
  for (const item of listed) if (isIn(nameOf(item)) && !own.has(nameOf(item)) && !await isGone(nameOf(item))) found.push(item);
  const items = found.sort((a, b) => order(nameOf(a), nameOf(b))).slice(0, limit);
  const lastOwn = items.at(-1);
  if (found.length > limit && lastOwn !== undefined) return { items, cursor: JSON.stringify([from, nameOf(lastOwn)]) };
  return next === undefined ? { items } : { items, cursor: JSON.stringify([next, end ?? after]) };
}

/** The cursor of the listing beneath, and the name behind which the page begins. */
function cursorOf(cursor: string | undefined): readonly [from: string | null, after: string | null] {
  if (cursor === undefined) return [null, null];
  try {
    const read = JSON.parse(cursor) as unknown;
    if (Array.isArray(read) && read.length === 2) return read as [string | null, string | null];
  } catch {
    // Of a listing that nothing was laid over.
  }
  return [cursor, null];
}

const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
