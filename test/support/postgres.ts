import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { freePort } from './free-port.js';
import { waitUntil } from './wait-until.js';

/** Where distributions put programs that are not on the path. */
const PLACES = ['/usr/lib/postgresql', '/usr/local/pgsql'];

/** A PostgreSQL server of its own, in a temporary folder, on a free port of this machine. */
export class Postgres {
  private constructor(readonly url: string, private server: ChildProcess, private readonly folder: string, private readonly launch: () => ChildProcess) {}

  /** True where the programs are, and somebody who may run them: not root. */
  static get isInstalled(): boolean {
    return programs() !== undefined && (process.getuid?.() !== 0 || owner() !== undefined);
  }

  static async start(): Promise<Postgres> {
    const bin = programs() ?? '';
    const user = process.getuid?.() === 0 ? owner() : undefined;
    const as = user === undefined ? {} : { uid: user.uid, gid: user.gid };
    const folder = mkdtempSync(join(tmpdir(), 'treadle-postgres-'));
    if (user) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'app', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--no-locale'], { ...as, cwd: folder, stdio: 'pipe' });
    const port = await freePort();
    const args = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1', '-c', 'fsync=off'];
    const launch = (): ChildProcess => spawn(join(bin, 'postgres'), args, { ...as, cwd: folder, stdio: 'ignore' });
    const made = new Postgres(`postgres://app@127.0.0.1:${port}/postgres`, launch(), folder, launch);
    await made.answering();
    return made;
  }

  /** Starts it again, with what it has stored. */
  async resume(): Promise<void> {
    this.server = this.launch();
    await this.answering();
  }

  private async answering(): Promise<void> {
    await waitUntil('PostgreSQL', () => this.query('select 1').then(() => true, () => false));
  }

  async query<Row extends pg.QueryResultRow>(sql: string): Promise<readonly Row[]> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends it; what it has stored stays. */
  async halt(): Promise<void> {
    const { server } = this;
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGINT'); // ends its connections as well
    await ended;
  }

  /** Ends it and removes what it has written. */
  async stop(): Promise<void> {
    await this.halt();
    rmSync(this.folder, { recursive: true, force: true });
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
