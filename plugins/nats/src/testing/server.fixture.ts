import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { programFolder, ServerProcess } from '@treadle/testing';

/** Why there is no server to test with; undefined where there is one. */
export function missingServer(): string | undefined {
  return program() === undefined ? 'nats-server is not installed here' : undefined;
}

/** A server with JetStream. @param extra arguments of nats-server */
export function startNats({ jetStream = true, extra = [] }: { readonly jetStream?: boolean; readonly extra?: readonly string[] } = {}): Promise<ServerProcess> {
  return ServerProcess.start({
    name: 'nats-server',
    launch: (port, folder) => {
      const args = ['-a', '127.0.0.1', '-p', String(port), ...jetStream ? ['-js', '-sd', folder] : [], ...extra];
      return spawn(program() ?? '', args, { cwd: folder, stdio: 'ignore' });
    },
    url: (port) => `nats://127.0.0.1:${port}`,
    answers: (servers) => connect({ servers, reconnect: false, timeout: 1_000 }).then((connection) => connection.close().then(() => true), isRefusal),
  });
}

/** A server that wants a password answers as well. */
function isRefusal(error: unknown): boolean {
  return /authorization/i.test(`${(error as Error).name} ${(error as Error).message}`);
}

function program(): string | undefined {
  const folder = programFolder(['nats-server'], ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin']);
  return folder && join(folder, 'nats-server');
}
