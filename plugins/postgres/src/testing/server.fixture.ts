import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programFolder, ServerProcess } from '@treadle/testing';
import pg from 'pg';

/** A server to use instead of one of our own: `postgres://…`, whose user may create schemas. */
export const GIVEN = process.env['TREADLE_TEST_POSTGRES_URL'];
/** Where distributions put programs that are not on the path. */
const PLACES = ['/usr/lib/postgresql', '/usr/local/pgsql'];

/** Why there is no server to test with; undefined where there is one. */
export function missingServer(): string | undefined {
  return GIVEN === undefined ? missingPrograms() : undefined;
}

/** Why no server of our own can be started; undefined where one can. */
export function missingPrograms(): string | undefined {
  if (programs() === undefined) return 'PostgreSQL is not installed here, and TREADLE_TEST_POSTGRES_URL names no server';
  return process.getuid?.() === 0 && !owner() ? 'PostgreSQL does not run as root, and there is no user "postgres"' : undefined;
}

/** @param settings e.g. `fsync=off` */
export function startPostgres(settings: readonly string[] = ['fsync=off']): Promise<ServerProcess> {
  const bin = programs() ?? '';
  const user = process.getuid?.() === 0 ? owner() : undefined;
  const as = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  return ServerProcess.start({
    name: 'PostgreSQL',
    crash: 'SIGQUIT',
    prepare: (folder) => {
      if (user) chownSync(folder, user.uid, user.gid);
      const args = ['-D', join(folder, 'data'), '-U', 'app', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--no-locale'];
      execFileSync(join(bin, 'initdb'), args, { ...as, cwd: folder, stdio: 'pipe' });
    },
    launch: (port, folder) => {
      const args = ['-D', join(folder, 'data'), '-p', String(port), '-k', folder, '-h', '127.0.0.1', ...['max_connections=200', ...settings].flatMap((setting) => ['-c', setting])];
      return spawn(join(bin, 'postgres'), args, { ...as, cwd: folder, stdio: 'ignore' });
    },
    url: (port) => `postgres://app@127.0.0.1:${port}/postgres`,
    answers: (url) => query(url, 'select 1').then(() => true, () => false),
  });
}

export async function query<Row extends pg.QueryResultRow>(url: string, sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** The folder of the programs. */
function programs(): string | undefined {
  const versions = PLACES.filter((place) => existsSync(place)).flatMap((place) => readdirSync(place).map((version) => join(place, version, 'bin')));
  return programFolder(['initdb', 'postgres'], versions);
}

/** The user that the server's package has made. */
function owner(): { readonly uid: number; readonly gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8').split('\n').find((each) => each.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
