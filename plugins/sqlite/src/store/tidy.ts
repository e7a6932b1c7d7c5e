import type { Connection } from '../driver/driver.js';
import type { StoreFiles } from '../disk/store-files.js';
import { faultIn, type StorageFault } from '../driver/storage-fault.js';
import { pragma } from './open-connection.js';

/** Unused pages given back per call. Each costs a frame or two of the log, which is moved at once: up to 30 ms, which the event loop may have to spend. */
const PAGES = 250;

/** Moves the log into the file, gives unused pages back and compares some of the others with what was written. */
export function tidy(connection: Connection, files?: StoreFiles): StorageFault | undefined {
  return faultIn(() => {
    if (Number(pragma(connection, 'freelist_count')) > 0) connection.exec(`PRAGMA incremental_vacuum(${PAGES})`);
    return undefined;
  }) ?? files?.move(connection) ?? files?.compareSome();
}

/**
 * Moves the log into the file, so that the next opening sees a clean end, and closes. Said explicitly because libsql closes
 * a connection only when its last statement has been collected. A disk that fails now was reported by a commit, or is met by the next opening.
 *
 * SQLite moves what is left in the log when the last connection closes, also a frame that is not sound, and removes the log: where the mark does not know
 * what the database is then, the connection stays open and ends with the process, which leaves the log as it is.
 */
export function closeCleanly(connection: Connection, files?: StoreFiles): void {
  const fault = emptyLog(connection, files);
  if (!fault && files?.foresee() !== false) connection.close();
}

/** Moves the log into the file and gives its place back. */
export function emptyLog(connection: Connection, files?: StoreFiles): StorageFault | undefined {
  return files?.move(connection) ?? faultIn(() => {
    // What could not be moved, because somebody reads or the disk is full, stays in the log.
    if ((files?.pending ?? 0) === 0) connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    return undefined;
  });
}
