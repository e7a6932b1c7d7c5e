import { existsSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { kvRecordFile, type Logger } from '@treadle/api';
import { isBackupCopy } from '@treadle/api/write-ahead-log';
import { logBytesOf } from './left-log.js';

/** How long a log that was set aside stays: whoever keeps the former file as well can still put both together. */
const KEPT_MS = 7 * 86_400_000;

/**
 * Moves a write-ahead log out of the way that cannot be this file's: what `salvage` saved was put where a process had died. SQLite would play the log
 * of the lost file into it. One set aside is removed by the first call a week later. What is on record is about the lost file as well; it holds no
 * data and goes. `now`: milliseconds since the epoch.
 */
export function setForeignLogAside(file: string, log: Logger, now: number): void {
  const wal = `${file}-wal`;
  const kept = `${wal}.replaced`;
  const isCopy = isBackupCopy(file);
  if (isCopy) rmSync(kvRecordFile(file), { force: true });
  if (!isCopy || logBytesOf(file) === 0) return removeAged(kept, log, now);
  renameSync(wal, kept);
  utimesSync(kept, new Date(now), new Date(now));
  log.warn('store was put back from a copy: the log of the former file is set aside for a week', { file, kept });
}

function removeAged(kept: string, log: Logger, now: number): void {
  if (!existsSync(kept) || now - statSync(kept).mtimeMs < KEPT_MS) return;
  rmSync(kept, { force: true });
  log.info('log was set aside a week ago and is removed', { kept });
}
