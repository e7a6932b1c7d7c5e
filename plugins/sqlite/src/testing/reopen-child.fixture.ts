/**
 * Opens a store that was killed, tells what it finds in it, closes it and ends. In a process of its own, as an engine is: libsql
 * closes a connection only when its last statement has been collected, and SQLite removes the log where the last connection closes.
 * In a process that lives on that can be the log of the next one that was killed.
 */
import type { Logger } from '@treadle/api';
import { EngineTurn, systemClock } from '@treadle/kernel';
import { driverNamed } from '../driver/choose-driver.js';
import type { DriverName, SqlRow } from '../driver/driver.js';
import { type Durability, pragma } from '../store/open-connection.js';
import { openStore } from '../store/open-store.js';

/** What was in the store, or why it could not be opened. */
export type Reopened =
  | { readonly messages: readonly string[]; readonly entries: readonly SqlRow[]; readonly changes: readonly SqlRow[]; readonly integrity: unknown }
  | { readonly error: string };

const [file = '', driverName, commits, durability] = process.argv.slice(2);
const messages: string[] = [];
const note = (message: string): void => void messages.push(message);
const log: Logger = { debug: note, info: note, warn: note, error: note, child: () => log };

async function reopen(): Promise<Reopened> {
  const driver = driverNamed(driverName as DriverName);
  if (!driver) return { error: `no driver ${driverName}` };
  const store = await openStore({
    file, clock: systemClock, turn: new EngineTurn(systemClock), log, driver, durability: durability as Durability, commits: commits as 'thread' | 'loop',
  });
  const all = (sql: string): readonly SqlRow[] => store.reads.prepare(sql).all();
  const entries = all('SELECT key, value, revision FROM state_entries');
  const changes = all('SELECT key, count(*) AS n, max(new_value + 0) AS last FROM state_changes GROUP BY key');
  const integrity = pragma(store.reads, 'integrity_check');
  await store.close();
  return { messages, entries, changes, integrity };
}

process.send?.(await reopen().catch((error: Error): Reopened => ({ error: String(error.stack) })), () => process.disconnect());
