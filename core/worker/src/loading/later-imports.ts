import { dirname, resolve } from 'node:path';
import { formatOf, probe } from './local-files.js';

/** `import('./x')` and `require('./x')`, of a path that is written out. */
const CALLS = /\b(?:import|require)\s*\(\s*(['"`])(\.{1,2}\/[^'"`$\n]*)\1/g;

/**
 * Files that a file imports when its code runs, as far as their paths are written out; absolute. In development they are
 * watched like others, though nobody may have loaded them yet. One in a comment does no harm.
 */
export function laterImports(source: string, file: string): readonly string[] {
  const found: string[] = [];
  for (const [, , path = ''] of source.matchAll(CALLS)) {
    const target = probe(resolve(dirname(file), path));
    if (target !== undefined && formatOf(target) !== undefined) found.push(target);
  }
  return found;
}
