import type { Connection } from '../driver/driver.js';
import { faultOf } from '../driver/storage-fault.js';
import { pragma } from './open-connection.js';

/** Unused pages given back per call: a few milliseconds of work. */
const PAGES = 1000;

/** Moves the log into the file and gives unused pages back. Faults are left to the next commit, which meets them too. */
export function tidy(connection: Connection): void {
  try {
    if (Number(pragma(connection, 'freelist_count')) > 0) connection.exec(`PRAGMA incremental_vacuum(${PAGES})`);
    connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').all();
  } catch (error) {
    // Busy, full or broken: nothing was promised here.
    faultOf(error);
  }
}

/**
 * Moves the log into the file, so that the next opening sees a clean end, and closes. Said explicitly because libsql closes
 * a connection only when its last statement has been collected.
 */
export function closeCleanly(connection: Connection): void {
  try {
    connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  } catch (error) {
    // A disk that fails now has been reported by a commit, or the next opening checks the file.
    faultOf(error);
  }
  connection.close();
}
