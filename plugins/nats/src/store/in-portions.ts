/** Does something for each of many, some at a time, and gives what came out in order. */
export async function inPortions<I, O>(items: readonly I[], most: number, work: (item: I) => Promise<O>): Promise<O[]> {
  const results: O[] = [];
  for (let at = 0; at < items.length; at += most) results.push(...await Promise.all(items.slice(at, at + most).map(work)));
  return results;
}

/** Items in their order, as lists that end before they are larger than `most` together. One that is larger is a list of its own. */
export function portionsOf<T>(items: readonly T[], most: number, sizeOf: (item: T) => number): T[][] {
  const portions: T[][] = [];
  let left = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (portions.length === 0 || size > left) {
      portions.push([]);
      left = most;
    }
    portions.at(-1)?.push(item);
    left -= size;
  }
  return portions;
}
