import type { Connection } from './driver.js';

/** Version of the SQLite that a library brings. Opening proves that its binary fits this runtime; throws when not. */
export function sqliteVersion(open: (file: string) => Connection): string {
  const connection = open(':memory:');
  try {
    return String(connection.prepare('SELECT sqlite_version() AS version').get()?.['version']);
  } finally {
    connection.close();
  }
}
