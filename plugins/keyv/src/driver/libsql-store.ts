import { EventEmitter } from 'node:events';
import type { KeyvStoreAdapter, StoredData } from 'keyv';

interface LibsqlDatabase {
  prepare(sql: string): { all(parameters: readonly unknown[]): unknown[]; run(parameters: readonly unknown[]): { changes: number } };
  exec(sql: string): unknown;
  close(): unknown;
}

export type Libsql = new (file: string) => LibsqlDatabase;

export interface LibsqlStoreOptions {
  readonly table: string;
  /** Characters. */
  readonly keySize: number;
}

/** A store of keyv on libsql, in the table that @keyv/sqlite makes. Calls are done when they return. */
export class LibsqlStore extends EventEmitter implements KeyvStoreAdapter {
  readonly opts: LibsqlStoreOptions & { readonly dialect: 'sqlite' };
  namespace?: string | undefined;
  private open = true;

  constructor(private readonly database: LibsqlDatabase, options: LibsqlStoreOptions) {
    super();
    this.opts = { ...options, dialect: 'sqlite' };
    try {
      database.exec(`CREATE TABLE IF NOT EXISTS ${options.table}(key VARCHAR(${options.keySize}) PRIMARY KEY, value TEXT)`);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  async query(sql: string, parameters: readonly unknown[] = []): Promise<unknown[]> {
    return this.database.prepare(sql).all(parameters);
  }

  async get<Value>(key: string): Promise<StoredData<Value> | undefined> {
    const [row] = await this.query(`SELECT value FROM ${this.opts.table} WHERE key = ?`, [key]) as { value: StoredData<Value> }[];
    return row?.value;
  }

  async set(key: string, value: unknown): Promise<void> {
    await this.query(`INSERT INTO ${this.opts.table} (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, [key, value]);
  }

  async delete(key: string): Promise<boolean> {
    return this.deleteMany([key]);
  }

  /** True when a row was there. */
  async deleteMany(keys: readonly string[]): Promise<boolean> {
    const places = keys.map(() => '?').join(', ');
    return this.database.prepare(`DELETE FROM ${this.opts.table} WHERE key IN (${places})`).run(keys).changes > 0;
  }

  async clear(): Promise<void> {
    await this.query(`DELETE FROM ${this.opts.table}`);
  }

  /**
   * Idempotent. libsql holds on to the file until its statements are garbage, so an exclusive lock is given back by hand;
   * that takes leaving the log, for with an exclusive one nobody else can be let in.
   */
  async close(): Promise<void> {
    if (!this.open) return;
    this.open = false;
    try {
      for (const sql of ['PRAGMA journal_mode = DELETE', 'PRAGMA locking_mode = NORMAL', 'SELECT 1 FROM sqlite_master']) this.database.exec(sql);
    } finally {
      this.database.close();
    }
  }
}
