import { statSync } from 'node:fs';
import { treadleError } from '@treadle/api';

/** Milliseconds between two looks at the files while something is written. */
const LOOK_AFTER = 100;

interface OwnFile {
  readonly path: string;
  readonly ino: number;
  size: number;
}

/**
 * SQLite takes a database that is gone for a new one, and removes the log beside it.
 * @throws {TreadleError} STORE_DAMAGED when the database is missing or empty and its log holds data
 */
export function refuseOrphanedLog(file: string): void {
  const database = statSync(file, { throwIfNoEntry: false });
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if ((database && database.size > 0) || !log || log.size === 0) return;
  throw treadleError('STORE_DAMAGED', { file, reason: `it is ${database ? 'empty' : 'missing'}, and ${log.size} bytes of its log are in "${file}-wal"` });
}

/** Database and log of an open store, to notice when somebody else removes, replaces or cuts them. */
export class OwnFiles {
  private readonly files: readonly OwnFile[];
  private lookedAt = 0;

  /** When the store is open: then both are there. */
  constructor(file: string) {
    this.files = [file, `${file}-wal`].flatMap((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? [{ path, ino: found.ino, size: found.size }] : [];
    });
  }

  /** What somebody did; undefined when nothing did, or the last look was just now. */
  look(): string | undefined {
    const now = performance.now();
    if (now - this.lookedAt < LOOK_AFTER) return undefined;
    this.lookedAt = now;
    return this.files.map(whatBecameOf).find((text) => text !== undefined);
  }
}

/** SQLite makes neither of them smaller while they are open: nothing here gives unused pages back. */
function whatBecameOf(file: OwnFile): string | undefined {
  const now = statSync(file.path, { throwIfNoEntry: false });
  if (!now) return `"${file.path}" was removed while the engine ran`;
  if (now.ino !== file.ino) return `"${file.path}" was replaced while the engine ran`;
  if (now.size < file.size) return `"${file.path}" was cut while the engine ran`;
  file.size = now.size;
  return undefined;
}
