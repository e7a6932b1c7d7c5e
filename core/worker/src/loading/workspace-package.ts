import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { probe } from './local-files.js';

/**
 * The source that a specifier means in a package of the same workspace, one that is linked into `node_modules` and has no
 * `exports`: `@w/lib/val` is its `val.ts`. Bundlers find it so; Node itself would want the whole file name.
 * `parent` is the absolute path of the importing file. Undefined where nothing is found.
 */
export function workspaceFile(specifier: string, parent: string): string | undefined {
  const [name, path] = split(specifier);
  const home = packageHome(name, dirname(parent));
  if (home === undefined || home.includes('/node_modules/')) return undefined;
  const { exports, main } = manifestOf(home);
  return exports === undefined ? probe(join(home, path || main || 'index')) : undefined;
}

function split(specifier: string): [name: string, path: string] {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  return [name, specifier.slice(name.length + 1)];
}

function packageHome(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const home = join(folder, 'node_modules', name);
    if (existsSync(join(home, 'package.json'))) return realpathSync(home);
    if (folder === dirname(folder)) return undefined;
  }
}

function manifestOf(home: string): { readonly exports?: unknown; readonly main?: string } {
  try {
    return JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { exports?: unknown; main?: string };
  } catch {
    return { exports: {} }; // unreadable: Node's own error says more
  }
}
