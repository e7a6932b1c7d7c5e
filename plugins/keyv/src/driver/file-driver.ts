import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { treadleError } from '@treadle/api';
import type { KeyvSqlite } from '@keyv/sqlite';
import { Keyv } from 'keyv';
import type { KvDriver, Row, RowRange } from './kv-driver.js';
import { KEYV_OPTIONS } from './keyv-options.js';

const TABLE = 'treadle';
/** Not in any range that an adapter reads. */
const PROBE = '!probe';
/** Rows of one statement, well below SQLite's limit of variables. */
const MAX_ROWS = 400;

/** Loads the optional dependency. */
export type LoadSqlite = () => Promise<{ readonly KeyvSqlite: typeof KeyvSqlite }>;

/**
 * keyv over @keyv/sqlite, the only file that knows it. Single rows go through keyv; several at once and ranges go through
 * the store's `query`, because keyv's own `setMany`, `clear` and iterator are neither atomic nor exact.
 */
export class FileDriver implements KvDriver {
  private readonly keyv: Keyv;

  private constructor(private readonly store: KeyvSqlite) {
    this.keyv = new Keyv({ ...KEYV_OPTIONS, store });
    // Every failing call rejects as well; without a listener the store's event would end the process.
    this.keyv.on('error', () => undefined);
  }

  /**
   * Opens or creates the file, for this process alone, and proves that it can be written.
   * @throws {TreadleError} SERVICE_UNAVAILABLE when @keyv/sqlite cannot be loaded
   * @throws {TreadleError} FILE_NOT_WRITABLE
   */
  static async open(file: string, load: LoadSqlite = () => import('@keyv/sqlite')): Promise<FileDriver> {
    const { KeyvSqlite: Store } = await load().catch(explainMissing);
    let driver: FileDriver | undefined;
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      driver = new FileDriver(new Store({ uri: `sqlite://${file}`, table: TABLE, keySize: 65_535 }));
      await driver.prepare();
      return driver;
    } catch (cause) {
      await driver?.close().catch(() => undefined); // It never opened: its error is the one of the start.
      throw treadleError('FILE_NOT_WRITABLE', { file, reason: reasonOf(cause) }, { cause });
    }
  }

  get(key: string): Promise<unknown> {
    return this.keyv.get(key);
  }

  async put(rows: readonly Row[]): Promise<void> {
    const places = rows.map(() => '(?, ?)').join(', ');
    const values = rows.flatMap(([key, value]) => [key, KEYV_OPTIONS.serialize({ value })]);
    await this.store.query(
      `INSERT INTO ${TABLE} (key, value) VALUES ${places} ON CONFLICT (key) DO UPDATE SET value = excluded.value`, values,
    );
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (let start = 0; start < keys.length; start += MAX_ROWS) await this.keyv.deleteMany(keys.slice(start, start + MAX_ROWS));
  }

  async range({ from, to, limit }: RowRange): Promise<readonly Row[]> {
    const rows = await this.store.query(
      `SELECT key, value FROM ${TABLE} WHERE key >= ? AND key < ? ORDER BY key LIMIT ?`, [from, to, limit],
    ) as { key: string; value: string }[];
    return rows.map(({ key, value }) => [key, KEYV_OPTIONS.deserialize<{ value: unknown }>(value).value]);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** WAL with full sync needs one fsync for a write where the default journal needs several, and keeps the same promise. */
  private async prepare(): Promise<void> {
    for (const setting of ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'synchronous = FULL']) {
      await this.store.query(`PRAGMA ${setting}`);
    }
    const [row] = await this.store.query('PRAGMA synchronous') as { synchronous: number }[];
    if (row?.synchronous !== 2) throw new Error('full synchronisation could not be set');
    await this.put([[PROBE, { at: 'start' }]]);
    if (await this.get(PROBE) === undefined) throw new Error('what was written could not be read back');
    await this.remove([PROBE]);
  }
}

function explainMissing(cause: unknown): never {
  throw treadleError('SERVICE_UNAVAILABLE', {
    service: 'store_method: file_based',
    reason: `@keyv/sqlite or its native part cannot be loaded (${reasonOf(cause)}); install Python and a C++ compiler and run `
      + '"npm install @keyv/sqlite@4.0.8 && npm rebuild sqlite3", or set store_method: in_memory',
  }, { cause });
}

function reasonOf(cause: unknown): string {
  const { message } = cause as Error;
  return (message.split('\n')[0] ?? message).trim();
}
