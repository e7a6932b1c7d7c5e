import { treadleError } from '@treadle/api';
import { betterSqlite3Driver } from './better-sqlite3.driver.js';
import type { Driver, DriverName } from './driver.js';
import { libsqlDriver } from './libsql.driver.js';
import { nodeSqliteDriver } from './node-sqlite.driver.js';

const DRIVERS: Readonly<Record<DriverName, () => Driver | undefined>> = {
  'node:sqlite': nodeSqliteDriver,
  'better-sqlite3': betterSqlite3Driver,
  libsql: libsqlDriver,
};

let chosen: Driver | undefined;

/**
 * The first of `node:sqlite`, better-sqlite3 and libsql that works here. One process uses one: two copies of SQLite do
 * not see each other's locks on a file within a process.
 * @throws {SERVICE_UNAVAILABLE} when none of them can be loaded
 */
export function chooseDriver(): Driver {
  chosen ??= nodeSqliteDriver() ?? betterSqlite3Driver() ?? libsqlOrError();
  return chosen;
}

/** A driver by name; undefined when it does not work here. */
export function driverNamed(name: DriverName): Driver | undefined {
  return DRIVERS[name]();
}

function libsqlOrError(): Driver {
  try {
    return libsqlDriver();
  } catch (cause) {
    throw treadleError('SERVICE_UNAVAILABLE', {
      service: 'SQLite', reason: `no driver can be loaded here (${(cause as Error).message}); install better-sqlite3@12`,
    }, { cause });
  }
}
