import type { Connection } from '../driver/driver.js';
import { faultOf, type StorageFault } from '../driver/storage-fault.js';
import { pragma } from './open-connection.js';

/** Unused pages given back per call: a few milliseconds of work. */
const PAGES = 1000;

/**
 * Moves the log into the file. SQLite's own automatic checkpoint keeps its errors to itself, and one that is tried again
 * after a failed fsync may succeed without the data being on the disk; so this one is asked for and its faults count.
 */
export function moveLog(connection: Connection): StorageFault | undefined {
  return faultIn(() => connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').all());
}

/** Moves the log into the file and gives unused pages back. */
export function tidy(connection: Connection): StorageFault | undefined {
  return faultIn(() => {
    if (Number(pragma(connection, 'freelist_count')) > 0) connection.exec(`PRAGMA incremental_vacuum(${PAGES})`);
  }) ?? moveLog(connection);
}

/** Faults after which nothing can be trusted; a full disk or a held file is met again by the next commit. */
function faultIn(act: () => unknown): StorageFault | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    const fault = faultOf(error);
    return fault.kind === 'io' || fault.kind === 'corrupt' ? fault : undefined;
  }
}

/**
 * Moves the log into the file, so that the next opening sees a clean end, and closes. Said explicitly because libsql closes
 * a connection only when its last statement has been collected.
 */
export function closeCleanly(connection: Connection): void {
  try {
    connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
  } catch {
    // A disk that fails now has been reported by a commit, or the next opening checks the file.
  }
  connection.close();
}
