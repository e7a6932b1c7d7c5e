import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { BESIDE_STORE, TreadleError, treadleError } from '@treadle/api';
import type { Connection, Driver } from '../driver/driver.js';
import { faultOf } from '../driver/storage-fault.js';

/** Lock files that this process has, by device and inode: two libraries in one process do not see each other's locks. */
const HELD = new Set<string>();

/**
 * Keeps a database file for one engine: an exclusive transaction on `<file>.lock` that is held as long as the store is
 * open and that the operating system ends with the process, however it dies. `<file>.pid` tells others whose it is.
 */
export class FileLock {
  private released = false;

  private constructor(private readonly connection: Connection, private readonly pidFile: string, private readonly id: string) {}

  /**
   * @throws {STORE_LOCKED} when another engine has the file
   * @throws {STORE_UNUSABLE} when the lock file cannot be made
   */
  static take(driver: Driver, file: string): FileLock {
    const [lockFile, pidFile] = [file + BESIDE_STORE.lock, file + BESIDE_STORE.pid];
    let connection: Connection | undefined;
    try {
      makeFile(lockFile);
      const id = idOf(lockFile);
      if (HELD.has(id)) throw treadleError('STORE_LOCKED', { file, pid: process.pid });
      connection = driver.open(lockFile);
      connection.exec('PRAGMA busy_timeout = 0');
      connection.exec('BEGIN EXCLUSIVE');
      writePid(pidFile);
      HELD.add(id);
      return new FileLock(connection, pidFile, id);
    } catch (cause) {
      connection?.close();
      if (cause instanceof TreadleError) throw cause;
      const { kind, reason } = faultOf(cause);
      if (kind === 'busy') throw treadleError('STORE_LOCKED', { file, pid: pidIn(pidFile) }, { cause });
      throw treadleError('STORE_UNUSABLE', { file, reason }, { cause });
    }
  }

  /** Idempotent. The lock file itself stays: removing it could take it from under an engine that has just opened it. */
  release(): void {
    if (this.released) return;
    this.released = true;
    HELD.delete(this.id);
    rmSync(this.pidFile, { force: true });
    this.connection.exec('ROLLBACK');
    this.connection.close();
  }
}

/**
 * Nobody else may open it: a shared lock of another user would keep the engine out. One that exists is not opened: closing it would give up the lock that
 * this process may have on it.
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function idOf(file: string): string {
  const { dev, ino } = statSync(file);
  return `${dev}:${ino}`;
}

/** Only told to others: on a full disk the lock holds without it. */
function writePid(file: string): void {
  try {
    writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    if (faultOf(error).kind !== 'full') throw error;
  }
}

/** 0 when it cannot be read, e.g. in the moment before the other engine has written it. */
function pidIn(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || 0;
  } catch {
    // Not written yet, or not readable for this user: the error says "pid 0" rather than nothing of the lock.
    return 0;
  }
}
