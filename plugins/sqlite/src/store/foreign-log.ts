import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import type { Logger } from '@treadle/api';

/** Where a database's header tells its journal: 1 for a rollback journal, 2 for a write-ahead log. */
const WRITE_VERSION_AT = 18;
const ROLLBACK = 1;

/** How long a log that was set aside stays: whoever keeps the former file as well can still put both together. */
const KEPT_MS = 7 * 86_400_000;

/**
 * Moves a write-ahead log out of the way that cannot be this file's: a backup was put back where an engine had died.
 * SQLite would play the log of the lost file into the restored one. A store's own file says that it has a log from its
 * first moment on; a copy that `backup` made says that it has none until it is opened. One set aside is removed by the first
 * call a week later. `now`: milliseconds since the epoch.
 */
export function setForeignLogAside(file: string, log: Logger, now: number): void {
  const wal = `${file}-wal`;
  const kept = `${wal}.replaced`;
  if (!existsSync(wal) || writeVersion(file) !== ROLLBACK) return removeAged(kept, log, now);
  renameSync(wal, kept);
  utimesSync(kept, new Date(now), new Date(now));
  log.warn('store was put back from a copy: the log of the former file is set aside for a week', { file, kept });
}

function removeAged(kept: string, log: Logger, now: number): void {
  if (!existsSync(kept) || now - statSync(kept).mtimeMs < KEPT_MS) return;
  rmSync(kept, { force: true });
  log.info('log of a former file was set aside a week ago and is removed', { kept });
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
