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
