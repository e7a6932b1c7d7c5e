import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Longest path of a unix socket in bytes: `sun_path` less its final zero. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;
/** Folders that cannot hold a socket (network and container mounts) answer with one of these. */
const NO_SOCKETS_HERE = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENOSYS']);
/** Only these mean that no process holds the socket; anything else counts as alive, which is the safe side. */
const NOBODY_THERE = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK', 'ENOTDIR']);
const TCP = /^tcp:(\d+)$/;
/** A socket of a stopped or busy engine accepts in the kernel; this only bounds the odd. */
const CONNECT_TIMEOUT_MS = 2000;

/** The socket that says "alive" for as long as the process lives; the system closes it at any kind of death. */
export interface LockSocket {
  /** As `engine.json` names it. */
  readonly lock: string;
  close(): void;
}

/** Listens under a name that nobody else uses. @throws an `ErrnoException` when no place allows it */
export async function openLockSocket(folder: string, id: string): Promise<LockSocket> {
  if (process.platform === 'win32') return openTcp();
  const name = `engine-${id}.sock`;
  const inFolder = join(folder, name);
  if (Buffer.byteLength(inFolder) > MAX_SOCKET_PATH_BYTES) return openUnix(join(tmpdir(), `treadle-${name}`));
  try {
    return await openUnix(inFolder, name);
  } catch (error) {
    if (!NO_SOCKETS_HERE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return openUnix(join(tmpdir(), `treadle-${name}`));
  }
}

/** True when a process holds the socket. Asks the system only, so it also answers for an engine that hangs. */
export function isHeld(folder: string, lock: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(target(folder, lock));
    const answer = (held: boolean): void => {
      socket.destroy();
      resolve(held);
    };
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => answer(true));
    socket.once('connect', () => answer(true));
    socket.once('error', (error: NodeJS.ErrnoException) => answer(!NOBODY_THERE.has(error.code ?? '')));
  });
}

/** Removes the name that a dead engine's socket left behind. */
export function removeSocketFile(folder: string, lock: string): void {
  if (!TCP.test(lock)) rmSync(absolute(folder, lock), { force: true });
}

async function openUnix(path: string, lock = path): Promise<LockSocket> {
  const server = await listen({ path });
  chmodSync(path, 0o600);
  return { lock, close: () => void server.close() };
}

async function openTcp(): Promise<LockSocket> {
  const server = await listen({ host: '127.0.0.1', port: 0 });
  return { lock: `tcp:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

function listen(at: ListenOptions): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => undefined).destroy());
  server.unref(); // Holding the lock is no reason for the process to stay.
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...at, backlog: 128 }, () => resolve(server));
  });
}

function target(folder: string, lock: string): { path: string } | { host: string; port: number } {
  const tcp = TCP.exec(lock);
  return tcp ? { host: '127.0.0.1', port: Number(tcp[1]) } : { path: absolute(folder, lock) };
}

function absolute(folder: string, lock: string): string {
  return isAbsolute(lock) ? lock : join(folder, lock);
}
