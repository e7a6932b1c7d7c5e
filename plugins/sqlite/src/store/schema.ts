import { randomBytes } from 'node:crypto';
import { treadleError } from '@treadle/api';
import type { Connection } from '../driver/driver.js';
import { faultOf } from '../driver/storage-fault.js';
import type { StoreArea } from './store-area.js';

/** Which file this is and how often it was opened. */
export interface StoreIdentity {
  /** Made with the file; a copy has the same. */
  readonly id: string;
  /** Grows by one with each opening; orders what different engine runs did. */
  readonly starts: number;
}

const BASE = `
  CREATE TABLE IF NOT EXISTS treadle_areas (name TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS treadle_store (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL, starts INTEGER NOT NULL);`;

/**
 * Brings the file to the areas' versions in one transaction and counts the opening, which also proves that the file can
 * be written.
 * @throws {STORE_NEWER} when the file has an area or a version that is not known here
 * @throws {STORE_UNUSABLE} when it cannot be written
 */
export function migrate(connection: Connection, file: string, areas: readonly StoreArea[]): StoreIdentity {
  try {
    connection.exec('BEGIN IMMEDIATE');
    connection.exec(BASE);
    refuseNewer(connection, file, areas);
    for (const area of areas) bringForward(connection, area);
    const identity = countStart(connection);
    connection.exec('COMMIT');
    return identity;
  } catch (error) {
    rollBack(connection);
    if ((error as { code?: string }).code === 'STORE_NEWER') throw error;
    const { kind, reason } = faultOf(error);
    throw treadleError(kind === 'corrupt' ? 'STORE_DAMAGED' : 'STORE_UNUSABLE', { file, reason }, { cause: error });
  }
}

/** The areas in the file with their versions. */
function areaVersions(connection: Connection): ReadonlyMap<string, number> {
  const rows = connection.prepare('SELECT name, version FROM treadle_areas').all();
  return new Map(rows.map((row) => [String(row['name']), Number(row['version'])]));
}

function refuseNewer(connection: Connection, file: string, areas: readonly StoreArea[]): void {
  for (const [name, version] of areaVersions(connection)) {
    const known = areas.find((area) => area.name === name)?.migrations.length ?? 0;
    if (version > known) throw treadleError('STORE_NEWER', { file, area: name, version, known });
  }
}

function bringForward(connection: Connection, area: StoreArea): void {
  const version = areaVersions(connection).get(area.name) ?? 0;
  for (const sql of area.migrations.slice(version)) connection.exec(sql);
  connection.prepare('INSERT INTO treadle_areas (name, version) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version')
    .run(area.name, area.migrations.length);
}

function countStart(connection: Connection): StoreIdentity {
  connection.prepare(`INSERT INTO treadle_store (only, id, starts) VALUES (1, ?, 1)
    ON CONFLICT (only) DO UPDATE SET starts = starts + 1`).run(randomBytes(9).toString('base64url'));
  const row = connection.prepare('SELECT id, starts FROM treadle_store').get() ?? {};
  return { id: String(row['id']), starts: Number(row['starts']) };
}

function rollBack(connection: Connection): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // BEGIN itself failed, or SQLite has already rolled back.
  }
}
