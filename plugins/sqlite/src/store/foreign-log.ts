import { closeSync, existsSync, openSync, readSync, renameSync } from 'node:fs';
import type { Logger } from '@treadle/api';

/** Where a database's header tells its journal: 1 for a rollback journal, 2 for a write-ahead log. */
const WRITE_VERSION_AT = 18;
const ROLLBACK = 1;

/**
 * Moves a write-ahead log out of the way that cannot be this file's: a backup was put back where an engine had died.
 * SQLite would play the log of the lost file into the restored one. A store's own file says that it has a log from its
 * first moment on; a copy that `backup` made says that it has none until it is opened.
 */
export function setForeignLogAside(file: string, log: Logger): void {
  const wal = `${file}-wal`;
  if (!existsSync(wal) || writeVersion(file) !== ROLLBACK) return;
  const kept = `${wal}.replaced`;
  renameSync(wal, kept);
  log.warn('store was put back from a copy: the log of the former file is set aside', { file, kept });
}

/** 0 for a file that is missing or too short. */
function writeVersion(file: string): number {
  if (!existsSync(file)) return 0;
  const byte = Buffer.alloc(1);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, byte, 0, 1, WRITE_VERSION_AT);
  } finally {
    closeSync(descriptor);
  }
  return byte[0] ?? 0;
}
