import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { specifiersOf } from './imported-packages.js';

const FOLLOWED = /\.(?:[cm]?js|d\.[cm]?ts)$/;
const DECLARATION = /\.d\.([cm]?)ts$/;

/** What an unpacked package does not have of the files that its entries import, directly or through each other, by relative paths: `<from>: <specifier>`. */
export function missingImports(folder: string, entries: readonly string[]): readonly string[] {
  const missing: string[] = [];
  const seen = new Set<string>();
  const follow = (path: string): void => {
    if (seen.has(path) || !FOLLOWED.test(path)) return;
    seen.add(path);
    for (const specifier of specifiersOf(path).filter((one) => one.startsWith('.'))) {
      const target = join(dirname(path), DECLARATION.test(path) ? specifier.replace(/\.([cm]?)js$/, '.d.$1ts') : specifier);
      if (existsSync(target)) follow(target);
      else missing.push(`${relative(folder, path)}: ${specifier}`);
    }
  };
  for (const entry of entries) follow(join(folder, entry));
  return missing;
}
