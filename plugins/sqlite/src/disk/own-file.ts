import { closeSync, fstatSync, openSync, statSync } from 'node:fs';

/** A file that this process has open, and which one it was when it was opened. */
export interface OwnFile {
  readonly path: string;
  readonly descriptor: number;
  readonly dev: number;
  readonly ino: number;
}

/** By device and inode. */
const OPEN = new Map<string, { readonly descriptor: number; users: number }>();

/**
 * Opens a file, or gives the descriptor that this process has of it already: closing any descriptor of a file gives up all locks that the process, which is
 * SQLite here, has on it. `leaveFile` follows, but not while a connection may still have the file.
 */
export function takeFile(path: string, flags: 'r' | 'r+' = 'r'): OwnFile {
  const found = openFileAt(path) ?? { descriptor: openSync(path, flags), users: 0 };
  const { dev, ino } = fstatSync(found.descriptor);
  found.users += 1;
  OPEN.set(`${dev}:${ino}`, found);
  return { path, descriptor: found.descriptor, dev, ino };
}

/** The last one closes it. */
export function leaveFile({ dev, ino }: OwnFile): void {
  const found = OPEN.get(`${dev}:${ino}`);
  if (!found) return;
  found.users -= 1;
  if (found.users > 0) return;
  OPEN.delete(`${dev}:${ino}`);
  closeSync(found.descriptor);
}

/** Undefined when there is no such file. */
export function withFile<T>(path: string, act: (descriptor: number) => T): T | undefined {
  let file: OwnFile;
  try {
    file = takeFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return act(file.descriptor);
  } catch (error) {
    // The system names no file where a descriptor is read, e.g. of a folder.
    (error as Error).message += `: '${path}'`;
    throw error;
  } finally {
    leaveFile(file);
  }
}

function openFileAt(path: string): { readonly descriptor: number; users: number } | undefined {
  const is = statSync(path, { throwIfNoEntry: false });
  return is && OPEN.get(`${is.dev}:${is.ino}`);
}
