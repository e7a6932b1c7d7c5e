import type { CheckedListOptions, StateItem, StatePage } from '@treadle/api';

/** What a page may weigh as JSON text before it ends early; in UTF-16 units, so that even in UTF-8 it fits a worker's frame. */
export const MAX_PAGE_LENGTH = 4_000_000;
/** Items asked for at a time: bounds what a page of large values takes in memory. */
export const CHUNK = 100;

/** How an adapter lists a group. */
export type ReadItems = (options: CheckedListOptions) => Promise<StatePage>;

/** A page of at most `limit` items that ends early, with a cursor, when its values are large; it has at least one item. */
export async function boundedPage(read: ReadItems, options: CheckedListOptions): Promise<StatePage> {
  const items: StateItem[] = [];
  let { cursor } = options;
  let room = MAX_PAGE_LENGTH;
  do {
    const from = { ...options, limit: Math.min(CHUNK, options.limit - items.length), ...cursor === undefined ? {} : { cursor } };
    const chunk = await read(from);
    const { count, length } = fitting(chunk.items, room, items.length === 0 ? 1 : 0);
    if (count === 0 && chunk.items.length > 0) break;
    const taken = count < chunk.items.length ? await read({ ...from, limit: count }) : chunk;
    items.push(...taken.items);
    room -= length;
    cursor = taken.cursor;
    if (taken !== chunk) break;
  } while (cursor !== undefined && items.length < options.limit);
  return cursor === undefined ? { items } : { items, cursor };
}

/** How many of the items fit, but no fewer than `least`, and how long they are together. */
function fitting(items: readonly StateItem[], room: number, least: number): { count: number; length: number } {
  let length = 0;
  for (const [count, item] of items.entries()) {
    const own = JSON.stringify(item).length;
    if (length + own > room && count >= least) return { count, length };
    length += own;
  }
  return { count: items.length, length };
}
