/** Where a page begins and how long it may be. */
interface Paging {
  readonly limit: number;
  readonly cursor?: string;
}

/**
 * Reads all pages of a listing.
 * @throws an `Error` when a page is too long or the cursors do not end
 */
export async function allPages<T>(
  limit: number, read: (paging: Paging) => Promise<{ readonly items: readonly T[]; readonly cursor?: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < 10_000; count += 1) {
    const page = await read({ limit, ...cursor === undefined ? {} : { cursor } });
    if (page.items.length > limit) throw new Error(`a page of at most ${limit} has ${page.items.length} items`);
    all.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) return all;
  }
  throw new Error('the cursors do not come to an end');
}
