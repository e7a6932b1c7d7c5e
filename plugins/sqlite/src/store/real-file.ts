import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * The file that a name means, links followed, also when it or its folder is missing: SQLite keeps its log beside that one, so that lock and mark have to be
 * there as well. What the system does not let be followed stays as it is: whoever opens it says what is wrong.
 */
export function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return file;
    const folder = dirname(file);
    const target = targetOf(file);
    if (target !== undefined) return realFile(resolve(folder, target));
    return folder === file ? file : join(realFile(folder), basename(file));
  }
}

/** Undefined when it is no link. */
function targetOf(file: string): string | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(file) : undefined;
}
