import { existsSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import type { Logger } from '../logger.js';
import { isBackupCopy } from './write-ahead-log.js';

/** How long a log that was set aside stays: whoever keeps the former file as well can still put both together. */
const KEPT_MS = 7 * 86_400_000;

/** What setting a log aside is told to, and when it is; `now`: milliseconds since the epoch. */
export interface LogAside {
  readonly log: Logger;
  readonly now: number;
}

/**
 * Moves a write-ahead log out of the way that cannot be this file's: a backup, or what `salvage` saved, was put where a process had died. SQLite would
 * play the log of the lost file into it. One set aside is removed by the first call a week later. `record`: the file beside it that says what the lost
 * file held; it holds no data and goes. `isCopy`: for whoever has the file open.
 */
export function setForeignLogAside(file: string, record: string, aside: LogAside, isCopy = isBackupCopy(file)): void {
  const kept = `${file}-wal.replaced`;
  if (isCopy) rmSync(record, { force: true });
  if (!isCopy || !statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) return removeAgedLog(kept, aside);
  keepLog(file, kept, aside.now);
  aside.log.warn('store was put back from a copy: the log of the former file is set aside for a week', { file, kept });
}

/** Gives the log of a file another name, and the age of one that was set aside now. */
export function keepLog(file: string, kept: string, now: number): void {
  renameSync(`${file}-wal`, kept);
  utimesSync(kept, new Date(now), new Date(now));
}

/** Removes a log that was set aside a week ago. */
export function removeAgedLog(kept: string, { log, now }: LogAside): void {
  if (!existsSync(kept) || now - statSync(kept).mtimeMs < KEPT_MS) return;
  rmSync(kept, { force: true });
  log.info('log was set aside a week ago and is removed', { kept });
}
