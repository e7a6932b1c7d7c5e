import { existsSync, linkSync, readFileSync, rmSync } from 'node:fs';
import { BESIDE_STORE, kvRecordFile, readKvRecord, treadleError } from '@treadle/api';
import type { Driver } from '../driver/driver.js';
import { faultOf } from '../driver/storage-fault.js';
import { FileLock } from '../store/file-lock.js';
import { realFile } from '../store/real-file.js';

/** The file that a name means, where its log is; a `KvStore` has its record beside the name that it was given. */
export function storeAt(given: string): string {
  return existsSync(kvRecordFile(given)) ? given : realFile(given);
}

/**
 * Keeps engines out of a store while it is read, where it has a lock; of a `KvStore`, which locks its database itself, it is made sure that none has it.
 * @throws {STORE_LOCKED} when an engine has the store
 */
export function keepOut(driver: Driver, file: string): FileLock | undefined {
  if (existsSync(file + BESIDE_STORE.lock)) return FileLock.take(driver, file);
  if (existsSync(kvRecordFile(file)) && isHeld(driver, file)) throw treadleError('STORE_LOCKED', { file, pid: pidOf(file) });
  return undefined;
}

/**
 * Asks SQLite through a second name of the database: the lock is the file's, while log and index are looked for beside the name, so that those of
 * the store are not touched.
 */
function isHeld(driver: Driver, file: string): boolean {
  const name = `${file}.asked-by-${process.pid}`;
  try {
    linkSync(file, name);
  } catch (error) {
    // Without a database there is nothing to lock. Where the disk has no second names only the process can be asked for.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT' && isRunning(pidOf(file));
  }
  try {
    const connection = driver.open(name);
    try {
      connection.exec('PRAGMA busy_timeout = 0');
      connection.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').all();
      return false;
    } finally {
      connection.close();
    }
  } catch (error) {
    return faultOf(error).kind === 'busy';
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${name}${suffix}`, { force: true });
  }
}

function pidOf(file: string): number {
  return readKvRecord(readFileSync(kvRecordFile(file), 'utf8')).pid;
}

function isRunning(pid: number): boolean {
  if (pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
