import { keepLog, type LogAside, removeAgedLog } from '@treadle/api';

/**
 * Moves a log out of the way that is damaged and all of which is in the database. It is of no use, unless the database is lost as well. `reason`: what is wrong
 * with it.
 */
export function setObsoleteLogAside(file: string, reason: string, { log, now }: LogAside): void {
  const kept = obsoleteLogOf(file);
  keepLog(file, kept, now);
  log.warn('log of the store is not what was written and is set aside for a week: all of it is in the database', { file, reason, kept });
}

/** Removes one that was set aside a week ago. */
export function removeObsoleteLog(file: string, aside: LogAside): void {
  removeAgedLog(obsoleteLogOf(file), aside);
}

function obsoleteLogOf(file: string): string {
  return `${file}-wal.obsolete`;
}
