import { treadleError } from '@treadle/api';
import type { Connection, Driver } from '../driver/driver.js';
import { faultOf } from '../driver/storage-fault.js';

/** What is promised when a write resolves. `full`: survives a power cut. `relaxed`: survives the end of the engine. */
export type Durability = 'full' | 'relaxed';

const SYNCHRONOUS: Readonly<Record<Durability, number>> = { full: 2, relaxed: 1 };
/** Pages of the database in memory, per connection. */
const CACHE_KIB = 4 * 1024;
/** What is kept of the log's file for re-use after a checkpoint, in bytes. */
const LOG_LIMIT = 64 * 1024 * 1024;

/** Reads the one value of a pragma. */
export function pragma(connection: Connection, name: string): unknown {
  return Object.values(connection.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

/**
 * Opens a database and sets what the durability promises rest on: write-ahead log and `synchronous`; both are read back.
 * @throws {STORE_UNUSABLE} when it cannot be opened or does not take these settings
 */
export function openConnection(driver: Driver, file: string, durability: Durability): Connection {
  let connection: Connection | undefined;
  try {
    connection = driver.open(file);
    configure(connection, durability);
    if (file !== ':memory:') assertSettings(connection, durability);
    return connection;
  } catch (cause) {
    connection?.close();
    const { kind, reason } = faultOf(cause);
    if (kind === 'corrupt') throw treadleError('STORE_DAMAGED', { file, reason }, { cause });
    throw treadleError('STORE_UNUSABLE', { file, reason }, { cause });
  }
}

function configure(connection: Connection, durability: Durability): void {
  connection.exec('PRAGMA busy_timeout = 5000');
  // Takes effect only in a file without pages, and must come before the log's mode writes the first one.
  if (pragma(connection, 'page_count') === 0) connection.exec('PRAGMA auto_vacuum = INCREMENTAL');
  pragma(connection, 'journal_mode = WAL');
  connection.exec(`PRAGMA synchronous = ${SYNCHRONOUS[durability]}`);
  connection.exec('PRAGMA foreign_keys = OFF');
  connection.exec('PRAGMA temp_store = MEMORY');
  connection.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  // macOS: fsync alone does not reach the medium there. Without effect elsewhere.
  connection.exec('PRAGMA fullfsync = ON');
  connection.exec('PRAGMA checkpoint_fullfsync = ON');
  // The one who commits moves the log into the file, see `moveLog`.
  pragma(connection, 'wal_autocheckpoint = 0');
  pragma(connection, `journal_size_limit = ${LOG_LIMIT}`);
}

function assertSettings(connection: Connection, durability: Durability): void {
  const mode = pragma(connection, 'journal_mode');
  if (mode !== 'wal') throw new Error(`its journal mode is "${String(mode)}", not "wal"`);
  const synchronous = pragma(connection, 'synchronous');
  if (synchronous !== SYNCHRONOUS[durability]) {
    throw new Error(`"synchronous" is ${String(synchronous)}, not ${SYNCHRONOUS[durability]}`);
  }
}
