import { statSync } from 'node:fs';
import { treadleError } from '@treadle/api';
import type { OwnerRecord } from './owner-file.js';

/** Milliseconds between two looks at the files while something is written. */
const LOOK_AFTER = 100;

interface OwnFile {
  readonly path: string;
  readonly ino: number;
  size: number;
}

/**
 * SQLite takes a database that is gone for a new one, and removes the log beside it; of a log that lost its end it cannot tell.
 * @param former what the last process left that had the file and did not close it
 * @throws {TreadleError} STORE_DAMAGED when the database is missing or empty and its log holds data, or the log is shorter than it was
 */
export function refuseLoss(file: string, former: OwnerRecord | undefined): void {
  const database = statSync(file, { throwIfNoEntry: false });
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  const logBytes = log?.size ?? 0;
  if (!database?.size && logBytes > 0) {
    throw treadleError('STORE_DAMAGED', { file, reason: `it is ${database ? 'empty' : 'missing'}, and ${logBytes} bytes of its log are in "${file}-wal"` });
  }
  if (!former || former.logBytes <= logBytes) return;
  throw treadleError('STORE_DAMAGED', {
    file, reason: `${former.logBytes} bytes of "${file}-wal" were acknowledged, and ${logBytes} of them are there; when a backup was put in its place, remove "${file}.pid"`,
  });
}

/** Database and log of an open store, to notice when somebody else removes, replaces or cuts them. */
export class OwnFiles {
  private readonly files: readonly OwnFile[];
  private lookedAt = 0;

  /** When the store is open: then both are there. `grown` gets the length of the log when it has become longer. */
  constructor(file: string, private readonly grown: (logBytes: number) => void) {
    this.files = [file, `${file}-wal`].flatMap((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found ? [{ path, ino: found.ino, size: found.size }] : [];
    });
    grown(this.files[1]?.size ?? 0);
  }

  /** Something was written. */
  wrote(): void {
    const log = this.files[1];
    const size = log && statSync(log.path, { throwIfNoEntry: false })?.size;
    if (!log || size === undefined || size <= log.size) return;
    log.size = size;
    this.grown(size);
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
