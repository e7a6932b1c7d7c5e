import { accessSync, closeSync, constants, existsSync, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from './sqlite-fault.js';

/** Less than SQLite's index of a log needs, in bytes. */
const NO_ROOM = 64 * 1024;

/**
 * Why a file could not be opened, in the system's words where it has any: SQLite has one text each for "unable to open" and "disk I/O error".
 * Only while no database of this process is open on the file: closing it would give up its locks.
 */
export function whyNotOpened(file: string, cause: unknown): string {
  try {
    for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) closeSync(openSync(path, 'r+'));
    accessSync(dirname(file), constants.W_OK);
    const { bavail, bsize } = statfsSync(dirname(file));
    if (bavail * bsize < NO_ROOM) return `${reasonOf(cause)} (ENOSPC: no space left on device)`;
  } catch (error) {
    return (error as Error).message;
  }
  return reasonOf(cause);
}
