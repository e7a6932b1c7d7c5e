import type { JournalEntry } from './journal.js';

const SECOND = 1_000;
const EXAMPLES = 5;

type Numbers = ReadonlyMap<string, readonly number[]>;

/** Acknowledged messages that no handler has ended, or begun. */
export function lostOf(acknowledged: Numbers, handled: Numbers): readonly string[] {
  return [...acknowledged].flatMap(([key, numbers]) => {
    const done = new Set(handled.get(key));
    return numbers.filter((n) => !done.has(n)).map((n) => `${key} ${n}`);
  });
}

/** How often handlers began with what had begun before. */
export function repeatedOf(began: Numbers): number {
  return [...began.values()].reduce((sum, numbers) => sum + numbers.length - new Set(numbers).size, 0);
}

/**
 * Where acknowledged messages of a key were not worked on one after the other: one began before the one before it had ended, or again
 * after a later one had begun. What was not acknowledged has no order.
 */
export function disorderOf(acknowledged: Numbers, journal: readonly JournalEntry[]): readonly string[] {
  const before = new Map<string, number | undefined>([...acknowledged].flatMap(([key, numbers]) => numbers.map((n, index) => [`${key} ${n}`, numbers[index - 1]] as const)));
  const [ended, newest, faults] = [new Set<string>(), new Map<string, number>(), [] as string[]];
  for (const entry of journal) {
    if (entry.what === 'tick' || entry.topic !== 'ordered') continue;
    const { what, key, n } = entry;
    const name = `${key} ${n}`;
    if (what === 'ended') ended.add(name);
    if (what === 'ended' || !before.has(name)) continue;
    const [previous, last = -1] = [before.get(name), newest.get(key)];
    if (previous !== undefined && !ended.has(`${key} ${previous}`)) faults.push(`${name} began before ${previous} had ended`);
    if (n < last) faults.push(`${name} began after ${last}`);
    newest.set(key, Math.max(n, last));
  }
  return faults;
}

/** What became of the ticks of triggers by the second; those that are listed as their schedule and their time. */
export interface Ticks {
  readonly expected: number;
  readonly missing: readonly string[];
  /** Begun again, with another attempt, because its engine was killed. */
  readonly cut: number;
  /** Begun twice as the same attempt: two engines had it. */
  readonly twice: readonly string[];
}

/** @param from the first and the last tick that has to be there; milliseconds since the epoch */
export function ticksOf(journal: readonly JournalEntry[], schedules: readonly string[], from: number, until: number): Ticks {
  const attempts = new Map<string, number[]>();
  for (const entry of journal) {
    if (entry.what !== 'tick') continue;
    const name = `${entry.schedule} ${entry.at}`;
    attempts.set(name, [...attempts.get(name) ?? [], entry.attempt]);
  }
  const expected: string[] = [];
  for (let tick = Math.ceil(from / SECOND) * SECOND; tick <= until; tick += SECOND) expected.push(...schedules.map((schedule) => `${schedule} ${tick}`));
  const all = [...attempts];
  return {
    expected: expected.length, missing: expected.filter((tick) => !attempts.has(tick)),
    cut: all.filter(([, list]) => list.length > 1 && new Set(list).size === list.length).length,
    twice: all.filter(([, list]) => new Set(list).size < list.length).map(([tick]) => tick),
  };
}

/** What is in state of each key, and how it differs from the messages that were handled. */
export interface Counted {
  /** Counted, although it had been counted already; 0 where Steps are atomic. */
  readonly surplus: number;
  readonly faults: readonly string[];
}

/** @param atomic every message has to count exactly once; else no more often than handlers began with it */
export function countedOf(
  began: Numbers, { seen, counts }: { readonly seen: Readonly<Record<string, number>>; readonly counts: Readonly<Record<string, number>> }, atomic: boolean,
): Counted {
  const faults: string[] = [];
  let surplus = 0;
  for (const [key, numbers] of began) {
    const [messages, runs, count = 0] = [new Set(numbers).size, numbers.length, counts[key]];
    surplus += count - messages;
    if (seen[key] !== messages) faults.push(`${seen[key] ?? 0} ids of ${key} in state, ${messages} were handled`);
    if (count < messages || count > (atomic ? messages : runs)) faults.push(`the counter of ${key} is ${count} after ${messages} messages in ${runs} runs`);
  }
  return { surplus, faults };
}

/** A fault with some of its examples; nothing without any. */
export function told(what: string, examples: readonly (string | number)[]): readonly string[] {
  return examples.length === 0 ? [] : [`${examples.length} ${what}: ${examples.slice(0, EXAMPLES).join(', ')}`];
}
