import { statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, type Logger, TreadleError, treadleError, kvRecordFile, setForeignLogAside } from '@treadle/api';
import { Keyv } from 'keyv';
import { DiskWatch } from './disk-watch.js';
import type { DriverUser, KvDriver, Row, RowRange } from './kv-driver.js';
import { KEYV_OPTIONS } from './keyv-options.js';
import { OwnerFile, recordOf } from './owner-file.js';
import { whyNotOpened } from './file-reason.js';
import { loadSqlStore, type OpenStore, type SqlStore } from './sql-store.js';
import { logBytesOf } from './left-log.js';
import { refuseLoss } from './own-files.js';
import { diskFaultOf, reasonOf } from './sqlite-fault.js';

const TABLE = 'treadle';
/** Not in any range that an adapter reads. */
const PROBE = '!probe';
/** Files up to this size are checked after an end that was not clean. */
const CHECKED_BYTES = 512 * 1024 * 1024;
/** Milliseconds. */
const LOOK_EVERY = 1_000;
/** Rows of one statement, well below SQLite's limit of variables. */
const MAX_ROWS = 400;

/** What is needed to set aside a log that another file has left. */
export interface FilePlace {
  readonly log: Logger;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * keyv over a file of SQLite. Single rows go through keyv; several at once and ranges go through the store's `query`,
 * because keyv's own `setMany`, `clear` and iterator are neither atomic nor exact.
 */
export class FileDriver implements KvDriver {
  private readonly keyv: Keyv;
  /** There from when it has the lock. */
  private owner: OwnerFile | undefined;
  private looking: { cancel(): void } | undefined;
  private readonly disk: DiskWatch;

  private constructor(private readonly store: SqlStore, private readonly file: string) {
    this.disk = new DiskWatch(file);
    this.keyv = new Keyv({ ...KEYV_OPTIONS, store });
    // Every failing call rejects as well; without a listener the store's event would end the process.
    this.keyv.on('error', () => undefined);
  }

  /**
   * Opens or creates the file, for this process alone, and proves that it can be written.
   * @throws {TreadleError} SERVICE_UNAVAILABLE when no SQLite can be loaded
   * @throws {TreadleError} STORE_LOCKED when another engine has the file
   * @throws {TreadleError} STORE_DAMAGED when the file is gone and its log is there, or it is no sound database
   * @throws {TreadleError} FILE_NOT_WRITABLE
   */
  static async open(file: string, loading: () => OpenStore = loadSqlStore, place?: FilePlace): Promise<FileDriver> {
    const openStore = loaded(loading);
    let driver: FileDriver | undefined;
    let owner: OwnerFile | undefined;
    try {
      if (place) setForeignLogAside(file, kvRecordFile(file), { log: place.log, now: place.clock.now() });
      refuseLoss(file, recordOf(file));
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      owner = new OwnerFile(file);
      // For this user alone, as its log and index are then. What prevents that, or is there already, SQLite meets next and says.
      await writeFile(file, '', { flag: 'wx', mode: 0o600 }).catch(() => undefined);
      driver = new FileDriver(openStore(file, TABLE), file);
      await driver.prepare(owner.former !== undefined);
      driver.disk.opened(owner);
      driver.owner = owner;
      return driver;
    } catch (cause) {
      // Closing would move the log into a database that is not sound: it stays as it is.
      if (diskFaultOf(cause) === 'damaged') throw treadleError('STORE_DAMAGED', { file, reason: reasonOf(cause) }, { cause });
      await driver?.close().catch(() => undefined); // It never opened: its error is the one of the start.
      if (isLocked(cause)) throw treadleError('STORE_LOCKED', { file, pid: recordOf(file)?.pid ?? 0 }, { cause });
      // Closing may have moved the log: that its bytes are gone is no damage then.
      owner?.giveUp(logBytesOf(file));
      if (cause instanceof TreadleError) throw cause;
      throw treadleError('FILE_NOT_WRITABLE', { file, reason: whyNotOpened(file, cause) }, { cause });
    }
  }

  join(user: DriverUser): () => void {
    return this.disk.join(user);
  }

  get(key: string): Promise<unknown> {
    return this.disk.read(() => this.keyv.get(key));
  }

  async put(rows: readonly Row[]): Promise<void> {
    const places = rows.map(() => '(?, ?)').join(', ');
    const values = rows.flatMap(([key, value]) => [key, KEYV_OPTIONS.serialize({ value })]);
    await this.writing(() => this.store.query(
      `INSERT INTO ${TABLE} (key, value) VALUES ${places} ON CONFLICT (key) DO UPDATE SET value = excluded.value`, values,
    ));
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += MAX_ROWS) {
      await this.writing(() => this.keyv.deleteMany(keys.slice(start, start + MAX_ROWS)));
    }
  }

  async range({ from, to, limit }: RowRange): Promise<readonly Row[]> {
    const rows = await this.disk.read(() => this.store.query(
      `SELECT key, value FROM ${TABLE} WHERE key >= ? AND key < ? ORDER BY key LIMIT ?`, [from, to, limit],
    )) as { key: string; value: string }[];
    return rows.map(({ key, value }) => [key, KEYV_OPTIONS.deserialize<{ value: unknown }>(value).value]);
  }

  /** Looks at the files once a second, also when nothing is written. Until it is closed. */
  watch(clock: Pick<Clock, 'every'>): this {
    this.looking = clock.every(LOOK_EVERY, () => this.disk.look());
    return this;
  }

  close(): Promise<void> {
    this.looking?.cancel();
    this.disk.closed();
    this.owner?.release(this.disk.failed);
    this.owner = undefined;
    // What it says at its end is about files that are known to have failed.
    if (this.disk.failed) return this.store.close().catch(() => undefined);
    return this.store.close();
  }

  /** Before it is owned nothing was promised: what fails then is the start. */
  private async writing(work: () => Promise<unknown>): Promise<void> {
    if (this.owner) await this.disk.write(work);
    else await work();
  }

  /** WAL with full sync needs one fsync for a write where the default journal needs several, and keeps the same promise. */
  private async prepare(wasKilled: boolean): Promise<void> {
    for (const setting of ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'synchronous = FULL']) {
      await this.store.query(`PRAGMA ${setting}`);
    }
    const [row] = await this.store.query('PRAGMA synchronous') as { synchronous: number }[];
    if (row?.synchronous !== 2) throw new Error('full synchronisation could not be set');
    if (wasKilled) await this.check();
    await this.put([[PROBE, { at: 'start' }]]);
    if (await this.get(PROBE) === undefined) throw new Error('what was written could not be read back');
    await this.remove([PROBE]);
  }

  /** Large files would hold the start up for long. */
  private async check(): Promise<void> {
    if (statSync(this.file).size > CHECKED_BYTES) return;
    const [row] = await this.store.query('PRAGMA quick_check(1)') as { quick_check: string }[];
    if (row?.quick_check !== 'ok') throw new Error(`SQLITE_CORRUPT: ${row?.quick_check ?? 'it cannot be checked'}`);
  }
}

function loaded(loading: () => OpenStore): OpenStore {
  try {
    return loading();
  } catch (cause) {
    throw treadleError('SERVICE_UNAVAILABLE', {
      service: 'store_method: file_based',
      reason: `no SQLite can be loaded here (${reasonOf(cause)}); install Python and a C++ compiler and run `
        + '"npm install @keyv/sqlite@4.0.8", or set store_method: in_memory',
    }, { cause });
  }
}

/** SQLite's own exclusive lock, which the system ends with the process, however it dies. */
function isLocked(cause: unknown): boolean {
  const { message, code } = cause as Error & { readonly code?: string };
  return code === 'SQLITE_BUSY' || message.startsWith('SQLITE_BUSY');
}
