/**
 * What lies beside the database of a store, as the end of its name. `log`: SQLite's, @source sqlite.org/walformat.html. `mark`: what was acknowledged of a store with a lock.
 * `lock`: stays for good, and tells such a store from a `KvStore`. `pid`: whose the store is, there while it is open and after a process that was killed.
 */
export const BESIDE_STORE = { log: '-wal', mark: '.mark', lock: '.lock', pid: '.pid' } as const;

const DATABASE = '.db';
/** A lock or an index alone is left of nothing; a process of another program may have a `pid`, too. */
const LEFT = [BESIDE_STORE.log, BESIDE_STORE.mark, DATABASE + BESIDE_STORE.pid];

/** Databases of the stores among the names of a folder's files, in their order, also of those that have lost theirs. */
export function storesAmong(names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap(storeOf))].sort();
}

function storeOf(name: string): readonly string[] {
  if (name.endsWith(DATABASE)) return [name];
  const left = LEFT.find((end) => name.endsWith(end));
  return left === undefined ? [] : [name.slice(0, name.length - left.replace(DATABASE, '').length)];
}
