import { createRequire } from 'node:module';
import type { Driver } from './driver.js';
import { LibraryConnection, type LibraryDatabase } from './library-connection.js';
import { sqliteVersion } from './sqlite-version.js';

type Libsql = new (file: string) => LibraryDatabase;

/** libsql, prebuilt for every supported Node. Throws when there is no binary for this platform. */
export function libsqlDriver(): Driver {
  const Database = createRequire(import.meta.url)('libsql') as Libsql;
  const open = (file: string): LibraryConnection => new LibraryConnection('libsql', new Database(file), 'array');
  return { name: 'libsql', sqlite: sqliteVersion(open), open };
}
