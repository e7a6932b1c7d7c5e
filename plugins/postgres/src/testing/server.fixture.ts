import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';

/** A server to use instead of one of our own: `postgres://…`, whose user may create schemas. */
const GIVEN = process.env['TREADLE_TEST_POSTGRES_URL'];
/** Where distributions put programs that are not on the path. */
const PLACES = ['/usr/lib/postgresql', '/usr/local/pgsql'];

/** Why there is no server to test with; undefined where there is one. */
export function missingServer(): string | undefined {
  if (GIVEN !== undefined) return undefined;
  if (!programs()) return 'PostgreSQL is not installed here, and TREADLE_TEST_POSTGRES_URL names no server';
  return process.getuid?.() === 0 && !owner() ? 'PostgreSQL does not run as root, and there is no user "postgres"' : undefined;
}

/** A PostgreSQL server of its own, in a temporary folder, on a free port of this machine. */
export class TestServer {
  private constructor(readonly url: string, private server: ChildProcess, private readonly folder: string, private readonly launch: () => ChildProcess) {}

  /** @param settings e.g. `fsync=off` */
  static async start(settings: readonly string[] = ['fsync=off']): Promise<TestServer> {
    const bin = programs() ?? '';
    const user = process.getuid?.() === 0 ? owner() : undefined;
    const as = user === undefined ? {} : { uid: user.uid, gid: user.gid };
    const folder = mkdtempSync(join(tmpdir(), 'treadle-pg-'));
    if (user) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'app', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--no-locale'], { ...as, cwd: folder, stdio: 'pipe' });
    const port = await freePort();
    const args = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1', ...['max_connections=200', ...settings].flatMap((setting) => ['-c', setting])];
    const launch = (): ChildProcess => spawn(join(bin, 'postgres'), args, { ...as, cwd: folder, stdio: 'ignore' });
    const made = new TestServer(`postgres://app@127.0.0.1:${port}/postgres`, launch(), folder, launch);
    process.once('exit', () => made.server.kill('SIGQUIT'));
    await made.answering();
    return made;
  }

  /** Ends it as a crash does, its connections with it; what it has stored stays. */
  async crash(): Promise<void> {
    const ended = new Promise((resolve) => this.server.once('exit', resolve));
    this.server.kill('SIGQUIT');
    await ended;
  }

  /** Starts it again, with what it has stored. */
  async resume(): Promise<void> {
    this.server = this.launch();
    await this.answering();
  }

  async query<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return query<Row>(this.url, sql, values);
  }

  /** Ends it and removes what it has written. */
  async stop(): Promise<void> {
    if (this.server.exitCode === null && this.server.signalCode === null) await this.crash();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async answering(): Promise<void> {
    for (let count = 0; count < 300; count += 1) {
      if (await this.query('select 1').then(() => true, () => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('PostgreSQL does not answer');
  }
}

let shared: Promise<TestServer> | undefined;

/** The address of the server that all tests of this process share. */
export async function serverUrl(): Promise<string> {
  return GIVEN ?? (await (shared ??= TestServer.start())).url;
}

after(async () => {
  await (await shared)?.stop();
  shared = undefined;
});

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
  return [...(process.env['PATH'] ?? '').split(delimiter), ...versions].find((folder) => ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))));
}

/** The user that the server's package has made. */
function owner(): { readonly uid: number; readonly gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8').split('\n').find((each) => each.startsWith('postgres:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
