import { TreadleError, treadleError } from '@treadle/api';
import type pg from 'pg';
import { codeOf, textOf } from './faults.js';

const OLDEST = 12;

/** What a server promises less than one would think; texts for people. */
export type Weaknesses = readonly string[];

const ASK = `SELECT pg_backend_pid() AS pid, current_setting('server_version_num')::integer AS version, pg_is_in_recovery() AS standby,
  current_setting('transaction_read_only') AS read_only, current_setting('synchronous_commit') AS commits, current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS pages, current_setting('server_encoding') AS encoding`;

interface Facts {
  readonly pid: number; readonly version: number; readonly standby: boolean; readonly read_only: string;
  readonly commits: string; readonly fsync: string; readonly pages: string; readonly encoding: string;
}

/**
 * Looks at a server before anything is stored there.
 * @throws {SERVICE_UNAVAILABLE} when it cannot be used: too old, read-only, behind a pooler, not UTF-8, or not there; with `strict`
 * also when it may lose what it has acknowledged
 */
export async function checkServer(client: pg.Client, database: string, strict: boolean): Promise<Weaknesses> {
  const facts = await ask(client, database);
  if (facts.version < OLDEST * 10_000) {
    throw unusable(database, `it is version ${Math.floor(facts.version / 10_000)}; ${OLDEST} is the oldest that works`, 'use a newer PostgreSQL');
  }
  if (facts.standby || facts.read_only === 'on') throw unusable(database, 'it is read-only, as a replica is', 'name the primary server');
  if (facts.encoding !== 'UTF8') throw unusable(database, `its encoding is ${facts.encoding}`, 'create the database with ENCODING \'UTF8\'');
  if (facts.pid !== processOf(client)) throw pooled(database);
  const weak = weaknesses(facts);
  if (strict && weak.length > 0) {
    throw unusable(database, `it may lose what it has acknowledged: ${weak.join(', ')}`, 'set it on, or write "durability: warn" to accept the loss');
  }
  return weak;
}

async function ask(client: pg.Client, database: string): Promise<Facts> {
  try {
    await client.connect();
    const { rows } = await client.query<Facts>(ASK);
    return rows[0] as Facts;
  } catch (error) {
    if (/startup parameter/.test(textOf(error))) throw pooled(database);
    if (codeOf(error) === '3D000') throw unusable(database, 'there is no such database', 'create it with "createdb", or name another one');
    if (codeOf(error).startsWith('28')) throw unusable(database, textOf(error), 'set user and password, e.g. password: ${PGPASSWORD}');
    throw treadleError('SERVICE_UNAVAILABLE', { service: database, reason: textOf(error) }, { cause: error });
  }
}

function weaknesses({ commits, fsync, pages }: Facts): Weaknesses {
  return [
    ...commits === 'off' ? ['synchronous_commit is off'] : [], ...fsync === 'off' ? ['fsync is off'] : [], ...pages === 'off' ? ['full_page_writes is off'] : [],
  ];
}

function pooled(database: string): TreadleError {
  return unusable(database, 'there is a connection pooler in between, such as PgBouncer: notifications and session locks do not pass it',
    'name the server itself, most often on port 5432; this adapter has a pool of its own (pool_size)');
}

function unusable(database: string, reason: string, hint: string): TreadleError {
  return new TreadleError('SERVICE_UNAVAILABLE', `${database} cannot be used: ${reason}`, hint);
}

/** The server process as the connection was told; a pooler tells another one. */
function processOf(client: pg.Client): number {
  return (client as unknown as { readonly processID: number }).processID;
}
