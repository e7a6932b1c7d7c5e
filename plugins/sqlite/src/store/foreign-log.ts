import { existsSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import type { Logger } from '@treadle/api';
import { isBackupCopy } from '@treadle/api/write-ahead-log';
import { markOf } from '../disk/store-mark.js';

/** How long a log that was set aside stays: whoever keeps the former file as well can still put both together. */
const KEPT_MS = 7 * 86_400_000;

/**
 * Moves a write-ahead log out of the way that cannot be this file's: a backup was put back where an engine had died.
 * SQLite would play the log of the lost file into the restored one. One set aside is removed by the first call a week later. What
 * the mark says is about the lost file as well; it holds no data and goes. `now`: milliseconds since the epoch.
 */
export function setForeignLogAside(file: string, log: Logger, now: number): void {
  const wal = `${file}-wal`;
  const kept = `${wal}.replaced`;
  const isCopy = isBackupCopy(file);
  removeAged(obsoleteLogOf(file), log, now);
  if (isCopy) rmSync(markOf(file), { force: true });
  if (!isCopy || !existsSync(wal)) return removeAged(kept, log, now);
  keep(wal, kept, now);
  log.warn('store was put back from a copy: the log of the former file is set aside for a week', { file, kept });
}

/**
 * Moves a log out of the way that is damaged and all of which is in the database. It is of no use, unless the database is lost as well. `reason`: what is wrong
 * with it.
 */
export function setObsoleteLogAside(file: string, reason: string, { log, now }: { readonly log: Logger; readonly now: number }): void {
  const kept = obsoleteLogOf(file);
  keep(`${file}-wal`, kept, now);
  log.warn('log of the store is not what was written and is set aside for a week: all of it is in the database', { file, reason, kept });
}

function obsoleteLogOf(file: string): string {
  return `${file}-wal.obsolete`;
}

function keep(wal: string, kept: string, now: number): void {
  renameSync(wal, kept);
  utimesSync(kept, new Date(now), new Date(now));
}

function removeAged(kept: string, log: Logger, now: number): void {
  if (!existsSync(kept) || now - statSync(kept).mtimeMs < KEPT_MS) return;
  rmSync(kept, { force: true });
  log.info('log was set aside a week ago and is removed', { kept });
}
