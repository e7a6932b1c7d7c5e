import { closeSync, existsSync, openSync, readSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';
/** Where a database's header tells its journal, for writing and for reading: 1 for a rollback journal, 2 for a write-ahead log. */
const VERSIONS_AT = 18;
const ROLLBACK = 1;

/**
 * True for a copy that `backup` made and that nobody has opened since: it says that it has no write-ahead log, and a store's own
 * file says from its first moment on that it has one.
 */
export function isBackupCopy(file: string): boolean {
  if (!existsSync(file)) return false;
  const header = Buffer.alloc(VERSIONS_AT + 2);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return header.toString('latin1', 0, MAGIC.length) === MAGIC && header[VERSIONS_AT] === ROLLBACK && header[VERSIONS_AT + 1] === ROLLBACK;
}
