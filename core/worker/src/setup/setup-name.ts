import { basename } from 'node:path/posix';

/** The name that handlers read a setup by: that of its file, in camelCase. */
export function setupName(file: string): string {
  const stem = basename(file).replace(/(?:\.setup\.\w+|_setup\.py)$/, '');
  return file.endsWith('.py') ? stem : stem.replace(/[-_.]+(\w)/g, (_whole, letter: string) => letter.toUpperCase());
}
