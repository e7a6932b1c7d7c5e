import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { programFolder, ServerProcess } from '@treadle/testing';
import { Redis } from 'ioredis';

/** Why there is no server to test with; undefined where there is one. */
export function missingServer(): string | undefined {
  return program() === undefined ? 'neither redis-server nor valkey-server is installed here' : undefined;
}

/** What a server under test is started with, e.g. `{ appendonly: 'yes' }`. */
export type ServerSettings = Readonly<Record<string, string>>;

/** Acknowledged writes survive a crash of the machine. */
export const DURABLE: ServerSettings = { appendonly: 'yes', appendfsync: 'always' };

export function startRedis(settings: ServerSettings = {}): Promise<ServerProcess> {
  return ServerProcess.start({
    name: 'Redis',
    launch: (port, folder) => {
      const all = { bind: '127.0.0.1', port: String(port), dir: folder, save: '', ...settings };
      return spawn(program() ?? '', Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]), { cwd: folder, stdio: 'ignore' });
    },
    url: (port) => `redis://127.0.0.1:${port}`,
    answers,
  });
}

/** Runs a command, on a connection of its own. @throws the server's error */
export async function ask({ port }: ServerProcess, ...[name, ...args]: readonly [string, ...(string | number)[]]): Promise<unknown> {
  const client = new Redis({ host: '127.0.0.1', port, lazyConnect: true, retryStrategy: null, protocol: 2, enableOfflineQueue: false });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.call(name, ...args);
  } finally {
    client.disconnect();
  }
}

/** Not while it still reads its file. */
function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (answer) => {
      socket.destroy();
      resolve(/^(?:\+PONG|-NOAUTH)/.test(answer.toString()));
    });
    socket.on('error', () => resolve(false));
  });
}

function program(): string | undefined {
  for (const name of ['redis-server', 'valkey-server']) {
    const folder = programFolder([name]);
    if (folder !== undefined) return join(folder, name);
  }
  return undefined;
}
