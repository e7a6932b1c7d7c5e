import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@treadle/testing';
import { waitUntil } from '../../../support/wait-until.js';

/** A server that a peer needs, started for this run in a folder of its own. */
export interface Service {
  /** Port, or connection string. */
  readonly address: string;
  stop(): Promise<void>;
}

/** A Redis of one's own with an append-only file. @throws Error when there is no redis-server */
export async function startRedis(appendfsync: 'everysec' | 'always'): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-redis-'));
  const port = await freePort();
  const settings = { port, bind: '127.0.0.1', dir: folder, appendonly: 'yes', appendfsync, save: '', 'maxmemory-policy': 'noeviction' };
  const file = join(folder, 'redis.conf');
  writeFileSync(file, Object.entries(settings).map(([name, value]) => `${name} ${value === '' ? '""' : value}`).join('\n'));
  const child = spawn('redis-server', [file], { stdio: 'ignore' });
  await waitUntil('redis-server', () => answers(port), 10_000);
  return { address: String(port), stop: () => end(child, folder) };
}

/** A PostgreSQL cluster of one's own, durable as initdb makes it. @throws Error when it is not installed */
export async function startPostgres(): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'treadle-postgres-'));
  const [data, port] = [join(folder, 'data'), await freePort()];
  const owner = unprivileged();
  mkdirSync(data);
  chmodSync(folder, 0o755);
  if (owner) chownSync(data, owner.uid, owner.gid);
  const bin = postgresPrograms();
  const made = spawnSync(join(bin, 'initdb'), ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8'], { ...owner, cwd: data, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr || made.error?.message}`);
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', data, '-c', 'max_connections=100'], { ...owner, cwd: data, stdio: 'ignore' });
  await waitUntil('postgres', () => spawnSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).status === 0, 20_000);
  return { address: `postgres://bench@127.0.0.1:${port}/postgres`, stop: () => end(child, folder, 'SIGINT') };
}

async function end(child: ChildProcess, folder: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const ended = once(child, 'exit');
  if (child.exitCode === null && child.kill(signal)) await ended;
  rmSync(folder, { recursive: true, force: true });
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { stdout } = spawnSync('getent', ['passwd', 'postgres', 'nobody'], { encoding: 'utf8' });
  const [, , uid, gid] = (stdout.split('\n')[0] ?? '').split(':');
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}

/** Debian keeps the server's programs out of the path. */
function postgresPrograms(): string {
  const versions = '/usr/lib/postgresql';
  const newest = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a))[0] : undefined;
  return newest ? join(versions, newest, 'bin') : '';
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => { resolve(true); socket.destroy(); });
    socket.once('error', () => resolve(false));
  });
}
