import { readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';

/** Reads files of an application for the lines of its diagnostics. `root` is absolute; nothing outside of it is read. */
export function sourceText(root: string): (file: string) => string | undefined {
  return (file) => {
    const path = resolve(root, file);
    if (relative(root, path).split(sep)[0] === '..') return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // Of a build elsewhere, or gone meanwhile: the config's line has to do.
      return undefined;
    }
  };
}
