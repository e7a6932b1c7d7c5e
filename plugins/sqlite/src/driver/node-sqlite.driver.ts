import { createRequire } from 'node:module';
import type { Driver } from './driver.js';
import { LibraryConnection, type LibraryDatabase } from './library-connection.js';
import { sqliteVersion } from './sqlite-version.js';

interface NodeSqlite {
  DatabaseSync: new (file: string) => LibraryDatabase;
}

/** `node:sqlite`, where the runtime has it without a flag (Node >= 22.13); undefined elsewhere. */
export function nodeSqliteDriver(): Driver | undefined {
  const library = quietly(() => {
    try {
      return createRequire(import.meta.url)('node:sqlite') as NodeSqlite;
    } catch {
      // This runtime has none: the next driver is asked.
      return undefined;
    }
  });
  if (!library) return undefined;
  const open = (file: string): LibraryConnection => new LibraryConnection('node:sqlite', new library.DatabaseSync(file), 'spread');
  return { name: 'node:sqlite', sqlite: sqliteVersion(open), open };
}

/** Loading it prints an ExperimentalWarning on some lines of Node; start-up says itself which driver is used. */
function quietly<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
