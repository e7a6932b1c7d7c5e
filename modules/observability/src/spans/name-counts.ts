/** Most names that are counted: those that are made of ids would fill any room. */
const MAX_NAMES = 100;

/** How often each name occurs. */
export type Counts = Map<string, number>;

/** Counts one more of a name; what is no text is none. */
export function count(counts: Counts, name: unknown): void {
  if (typeof name === 'string') add(counts, name, 1);
}

export function addCounts(sum: Counts, others: Counts): void {
  for (const [name, times] of others) add(sum, name, times);
}

function add(counts: Counts, name: string, times: number): void {
  const known = counts.get(name);
  if (known !== undefined || counts.size < MAX_NAMES) counts.set(name, (known ?? 0) + times);
}
