import { readFileSync, statSync } from 'node:fs';

/** The program in few files; `scripts/bundle.mjs` makes it. */
export const BUNDLE = new URL('../dist/bundle/', import.meta.url);
/** Beside it in a checkout: files that change with what went in. A published package has none. */
export const BUILT_FROM = 'built-from.json';

/** True when the bundle in this folder can be used: it is there and nothing that went in changed since. */
export function isCurrent(folder = BUNDLE) {
  if (!timeOf(new URL('main.js', folder))) return false;
  const list = new URL(BUILT_FROM, folder);
  const made = timeOf(list);
  if (!made) return true;
  const records = JSON.parse(readFileSync(list, 'utf8'));
  return records.every((record) => timeOf(new URL(record, folder), Infinity) <= made);
}

/** Milliseconds since the epoch. */
function timeOf(file, missing = 0) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? missing;
}
