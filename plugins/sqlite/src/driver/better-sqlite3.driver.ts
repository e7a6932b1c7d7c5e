import { createRequire } from 'node:module';
import type { Driver } from './driver.js';
import { LibraryConnection, type LibraryDatabase } from './library-connection.js';
import { sqliteVersion } from './sqlite-version.js';

type BetterSqlite3 = new (file: string) => LibraryDatabase;

/** The line that runs on every supported Node; 13 ends a process on Node 20 with a segmentation fault. */
const MAJOR = '12.';

/** better-sqlite3 12, when the application has installed it and it was built for this runtime; else undefined. */
export function betterSqlite3Driver(): Driver | undefined {
  const require = createRequire(import.meta.url);
  try {
    const { version } = require('better-sqlite3/package.json') as { version: string };
    if (!version.startsWith(MAJOR)) return undefined;
    const Database = require('better-sqlite3') as BetterSqlite3;
    const open = (file: string): LibraryConnection => new LibraryConnection('better-sqlite3', new Database(file), 'array');
    return { name: 'better-sqlite3', sqlite: sqliteVersion(open), open };
  } catch {
    // Not installed, or built for another Node: the next driver is asked.
    return undefined;
  }
}
