import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [SOURCE, BUILT] = [`${sep}src${sep}`, `${sep}dist${sep}`];
const current = new Map<string, boolean>();

/**
 * What was built of a package's source, as packages here are laid out: of `src/x.ts` that is `dist/x.js`. Undefined when there is none, or something in `src`
 * was changed since; packages are looked at once per process.
 * @param url of the source; anything else has nothing built
 */
export function builtFile(url: string): string | undefined {
  if (!/^file:.*\.[jt]s$/.test(url)) return undefined;
  const source = fileURLToPath(url);
  const at = source.lastIndexOf(SOURCE);
  if (at < 0) return undefined;
  const folder = source.slice(0, at);
  const built = `${folder}${BUILT}${source.slice(at + SOURCE.length, -'.ts'.length)}.js`;
  return existsSync(built) && isCurrent(folder) ? pathToFileURL(built).href : undefined;
}

/** The compiler writes at least its own notes whenever it has looked at a source that is newer. */
function isCurrent(folder: string): boolean {
  const known = current.get(folder) ?? newestIn(join(folder, 'dist')) >= newestIn(join(folder, 'src'));
  current.set(folder, known);
  return known;
}

function newestIn(folder: string): number {
  const times = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? newestIn(path) : statSync(path).mtimeMs;
  });
  return Math.max(0, ...times);
}
