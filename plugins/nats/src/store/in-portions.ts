/** Does something for each of many, some at a time, and gives what came out in order. */
export async function inPortions<I, O>(items: readonly I[], most: number, work: (item: I) => Promise<O>): Promise<O[]> {
  const results: O[] = [];
  for (let at = 0; at < items.length; at += most) results.push(...await Promise.all(items.slice(at, at + most).map(work)));
  return results;
}
