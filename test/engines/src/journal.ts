/** What handlers wrote, in the order in which it happened over all processes. */
export type JournalEntry =
  | { readonly what: 'began' | 'ended'; readonly topic: string; readonly key: string; readonly n: number }
  | { readonly what: 'tick'; readonly schedule: string; readonly at: number; readonly attempt: number };

/** @param text whole lines; the last one may be cut */
export function journalOf(text: string): readonly JournalEntry[] {
  return text.split('\n').slice(0, -1).map((line): JournalEntry => {
    const [what = '', one = '', two = '', three = ''] = line.split(' ');
    return what === 'tick' ? { what, schedule: one, at: Number(two), attempt: Number(three) } : { what: what as 'began' | 'ended', topic: one, key: two, n: Number(three) };
  });
}

/** The numbers of messages that began, or ended, of each key; as often as they did. */
export function numbersOf(journal: readonly JournalEntry[], what: 'began' | 'ended', topic: string): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const entry of journal) {
    if (entry.what === 'tick' || entry.what !== what || entry.topic !== topic) continue;
    const numbers = found.get(entry.key) ?? [];
    numbers.push(entry.n);
    found.set(entry.key, numbers);
  }
  return found;
}
