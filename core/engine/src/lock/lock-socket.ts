import { chmodSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type ListenOptions, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockAddress } from '@treadle/protocol/engine-record';

/** Longest path of a unix socket in bytes: `sun_path` less its final zero. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;
/** Folders that cannot hold a socket (network and container mounts) answer with one of these. */
const NO_SOCKETS_HERE = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENOSYS']);
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

/** Removes the name that a dead engine's socket left behind. */
export function removeSocketFile(folder: string, lock: string): void {
  const address = lockAddress(folder, lock);
  if ('path' in address) rmSync(address.path, { force: true });
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
