import { TreadleError } from '@treadle/api';
import type { Connections } from './connections.js';

/** Oldest first; what is in here is never changed after a release, only added to. */
export type Migrations = readonly string[];

/**
 * Creates or renews the tables; of several engines that start at once, one does it.
 * @throws {STORE_NEWER} when a newer version has written them
 */
export async function migrate(connections: Connections, schema: string, migrations: Migrations): Promise<void> {
  await connections.transaction(async (queries) => {
    await queries.rows('SELECT pg_advisory_xact_lock(hashtext($1), 0)', [`treadle migrations of ${schema}`]);
    const [there] = await queries.rows('SELECT to_regnamespace($1) IS NOT NULL AS schema, to_regclass($2) IS NOT NULL AS versions', [schema, `${schema}.store_versions`]);
    if (there?.['schema'] === false) await queries.rows(`CREATE SCHEMA ${schema}`);
    if (there?.['versions'] === false) await queries.rows('CREATE TABLE store_versions (version integer PRIMARY KEY, installed_at timestamptz NOT NULL DEFAULT now())');
    const [row] = await queries.rows<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM store_versions');
    const version = row?.version ?? 0;
    if (version > migrations.length) throw newer(`${connections.database}, schema ${schema}`, version, migrations.length);
    for (let next = version + 1; next <= migrations.length; next += 1) {
      await queries.rows(migrations[next - 1] ?? '');
      await queries.rows('INSERT INTO store_versions (version) VALUES ($1)', [next]);
    }
  });
}

function newer(database: string, version: number, known: number): TreadleError {
  return new TreadleError('STORE_NEWER', `${database} was written by a newer version: its tables have version ${version}; ${known} is the newest known here`,
    'use that version of @treadle/postgres again, or restore a backup made before it');
}
