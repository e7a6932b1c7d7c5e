import { existsSync, realpathSync, statSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** Where a plugin was found. */
export type Location =
  | { readonly kind: 'package'; readonly folder: string }
  | { readonly kind: 'file'; readonly file: string }
  /** `parents`: how many folders above the first were looked in. */
  | { readonly kind: 'not_installed'; readonly folder: string; readonly parents: number }
  | { readonly kind: 'not_found'; readonly path: string };

/** A folder and all above it, nearest first. */
export function upwards(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}

/** Finds what a line of `plugins:` names: a package in a node_modules upwards from `folder`, or a path relative to it. */
export function locate(name: string, folder: string): Location {
  if (isPath(name)) return locatePath(resolve(folder, name));
  const folders = upwards(folder);
  for (const place of folders) {
    const candidate = join(place, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return { kind: 'package', folder: candidate };
  }
  return { kind: 'not_installed', folder: join(folder, 'node_modules'), parents: folders.length - 1 };
}

/** How a path is shown: relative to the config file's folder when it is below it. */
export function shownPath(path: string, folder: string): string {
  const inside = relative(folder, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside.split(sep).join('/');
}

/** The real path; links are followed, because Node loads a module by its real path. */
export function realPath(path: string): string {
  return realpathSync(path);
}

function isPath(name: string): boolean {
  return isAbsolute(name) || name === '.' || name === '..' || /^\.\.?[\\/]/.test(name);
}

function locatePath(path: string): Location {
  const stats = statsOf(path);
  if (!stats) return { kind: 'not_found', path };
  return stats.isDirectory() ? { kind: 'package', folder: path } : { kind: 'file', file: path };
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // Absent, or a path that no file can have (too long, a NUL in it): nothing is there either way.
    return undefined;
  }
}
