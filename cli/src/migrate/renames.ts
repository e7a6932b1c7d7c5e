import { posix } from 'node:path';
import type { PythonSource } from './python-steps.js';

const MIDDLEWARE = /\.middleware\.([cm]?[jt]s)$/;

/**
 * New names of files that the runtime would not find, or would take for something else, by their old ones. `x.middleware.ts` holds for a whole
 * folder here, so one that only exports functions for others gets another name.
 */
export function renamesOf(files: readonly PythonSource[]): ReadonlyMap<string, string> {
  const names = new Set(files.map(({ name }) => name));
  const found = new Map<string, string>();
  for (const { name, text } of files) {
    const wanted = nameFor(name, text);
    if (wanted !== name && !names.has(wanted)) found.set(name, wanted);
  }
  return found;
}

function nameFor(name: string, text: string): string {
  const isFolderWide = /^export default\b|\bas default\b|^module\.exports\s*=/m.test(text);
  if (MIDDLEWARE.test(name) && !isFolderWide) return name.replace(MIDDLEWARE, '-middleware.$1');
  return name.replace(/\.(step|stream)\.py$/, '_$1.py').replace(/_(step|stream)\.([cm]?[jt]s)$/, '.$1.$2');
}

/**
 * An import's text after the renames, for the file that it stands in; undefined when it names none of the renamed files. What is no relative path
 * may be an alias, and is told by its last part.
 */
export function renamedImport(renames: ReadonlyMap<string, string>, file: string, specifier: string): string | undefined {
  const isRelative = specifier.startsWith('.');
  const path = isRelative ? posix.join(posix.dirname(file), specifier) : specifier;
  for (const [old, wanted] of renames) {
    const [from, to] = [bareName(old), bareName(wanted)];
    const named = bareName(path);
    const isIt = isRelative ? named === from : specifier.includes('/') && posix.basename(named) === posix.basename(from);
    if (isIt && posix.basename(from) !== posix.basename(to)) return specifier.replace(posix.basename(from), posix.basename(to));
  }
  return undefined;
}

function bareName(path: string): string {
  return path.replace(/\.[cm]?[jt]sx?$/, '');
}
