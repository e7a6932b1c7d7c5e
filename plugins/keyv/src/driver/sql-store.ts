import { createRequire } from 'node:module';
import type { KeyvStoreAdapter } from 'keyv';
import { LibsqlStore, type Libsql } from './libsql-store.js';

/** Longest key, in characters. */
const KEY_SIZE = 65_535;

/** A store of keyv in a table of an SQLite file, with the statements that keyv has no call for. */
export type SqlStore = KeyvStoreAdapter & {
  /** Rows that a statement gives. */
  query(sql: string, parameters?: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
};

/** Opens or creates the file; rows are in `table` (key, value). Faults may show at the first statement only. */
export type OpenStore = (file: string, table: string) => SqlStore;

/** What is used of `@keyv/sqlite`. Its own types are not there where only what the engine needs is installed. */
interface KeyvSqliteModule {
  readonly KeyvSqlite: new (options: { readonly uri: string; readonly table: string; readonly keySize: number }) => SqlStore;
}

/** Required rather than imported, so that a bundle of the engine finds them, and their native parts, where they are installed. */
const load = createRequire(import.meta.url);

/** `@keyv/sqlite`, which an application may install; throws without it or without its native part. */
export function loadKeyvSqlite(): OpenStore {
  const { KeyvSqlite: Store } = load('@keyv/sqlite') as KeyvSqliteModule;
  return (file, table) => new Store({ uri: `sqlite://${file}`, table, keySize: KEY_SIZE });
}

/** The same table through libsql, which is installed with the engine and needs no compiler; throws without a binary for this platform. */
export function loadLibsql(): OpenStore {
  const Database = load('libsql') as Libsql;
  return (file, table) => new LibsqlStore(new Database(file), { table, keySize: KEY_SIZE });
}

/**
 * The first of `@keyv/sqlite` and libsql that works here; both read the files of the other. `@keyv/sqlite` is no dependency, because installing it compiles
 * `sqlite3` for a minute wherever no prebuilt binary can be fetched, and needs a compiler for that.
 * @throws what libsql throws when neither does
 */
export function loadSqlStore(): OpenStore {
  try {
    return loadKeyvSqlite();
  } catch {
    // Not installed, or its native part was not built: the one that comes along serves.
    return loadLibsql();
  }
}
