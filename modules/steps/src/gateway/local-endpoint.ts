import { chmod, lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { treadleError } from '@treadle/api';
import type { Listener } from './listener.js';

/** Longest path of a unix socket that every supported system accepts, in bytes. */
const MAX_SOCKET_PATH = 107;

const FOLDER = 'treadle-';
const NOTE = 'worker.sock.folder';

/** The unix socket that children (and other processes of the same user) connect to. */
export class LocalEndpoint {
  private path: string | undefined;
  private folder: string | undefined;
  /** File that says where the folder is, for the next engine when this one is killed. */
  private note: string | undefined;

  /**
   * Listens and returns the URL of the endpoint: `ws+unix:`, or loopback TCP on Windows.
   * @throws {FILE_NOT_WRITABLE} when the socket cannot be made
   */
  async open(listener: Listener, dataDir: string): Promise<string> {
    if (process.platform === 'win32') {
      await listener.listen({ host: '127.0.0.1', port: 0 });
      return `ws://127.0.0.1:${listener.port}`;
    }
    const path = await this.choose(dataDir);
    try {
      // Only the engine that holds the data directory comes here, so a socket that is there is a dead one's.
      await rm(path, { force: true });
      this.path = path;
      await listenAlone(listener, path);
    } catch (cause) {
      throw treadleError('FILE_NOT_WRITABLE', { file: path, reason: (cause as Error).message }, { cause });
    }
    return `ws+unix:${path}:/`;
  }

  async remove(): Promise<void> {
    if (this.path !== undefined) await rm(this.path, { force: true });
    if (this.folder !== undefined) await rm(this.folder, { recursive: true, force: true });
    if (this.note !== undefined) await rm(this.note, { force: true });
    this.path = this.folder = this.note = undefined;
  }

  private async choose(dataDir: string): Promise<string> {
    const usual = join(dataDir, 'worker.sock');
    if (Buffer.byteLength(usual) <= MAX_SOCKET_PATH && isPlain(usual)) return usual;
    // A folder of one's own: in a shared temp folder somebody else could be there first.
    await removeFormer(join(dataDir, NOTE));
    this.folder = await mkdtemp(join(tmpdir(), FOLDER));
    this.note = join(dataDir, NOTE);
    await writeFile(this.note, this.folder, { mode: 0o600 });
    return join(this.folder, 'worker.sock');
  }
}

/** For this user alone from the first moment on. */
async function listenAlone(listener: Listener, path: string): Promise<void> {
  const mask = process.umask(0o177);
  try {
    // The socket is made before `listen` returns.
    const listening = listener.listen({ path });
    process.umask(mask);
    await listening;
  } finally {
    process.umask(mask);
  }
  await chmod(path, 0o600);
}

/** A `ws+unix:` URL cannot hold every path: a colon would end it, other characters would be escaped. */
function isPlain(path: string): boolean {
  return !path.includes(':') && new URL(`ws+unix:${path}`).pathname === path;
}

/** A killed engine's folder, if that is what the note names: nothing but a folder of this user where such folders are made. */
async function removeFormer(note: string): Promise<void> {
  const folder = await readFile(note, 'utf8').catch(() => undefined);
  if (folder === undefined || dirname(folder) !== tmpdir() || !basename(folder).startsWith(FOLDER)) return;
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() && found.uid === process.getuid?.()) await rm(folder, { recursive: true, force: true });
}
