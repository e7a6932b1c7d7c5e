import { createServer } from 'node:net';
import type { EnginePlan } from '@treadle/kernel';
import { type DoctorFinding, failed, ok } from './finding.js';

/** An address that a module of the configuration listens on. */
interface Listener {
  readonly classId: string;
  readonly host: string;
  readonly port: number;
}

/** Whether the ports of a configuration can be had. `owner`: pid of the engine that runs this application already. */
export async function checkPorts(plan: EnginePlan, owner: number | undefined): Promise<readonly DoctorFinding[]> {
  const listeners = plan.entries.flatMap(({ instance, config }) => listenerOf(instance.classId, config));
  return Promise.all(listeners.map((listener) => checkPort(listener, owner)));
}

/** Port 0 is any free one, `false` is none. */
function listenerOf(classId: string, config: Readonly<Record<string, unknown>>): readonly Listener[] {
  const { port, host } = config;
  return typeof port === 'number' && port > 0 ? [{ classId, port, host: typeof host === 'string' ? host : '127.0.0.1' }] : [];
}

async function checkPort({ classId, host, port }: Listener, owner: number | undefined): Promise<DoctorFinding> {
  const subject = `port ${port}`;
  const problem = await bindProblem(host, port);
  if (problem === undefined) return ok(subject, `free on ${host} for ${classId}`);
  if (problem !== 'EADDRINUSE') return failed(subject, `${classId} cannot listen on ${host}:${port}: ${problem}`, 'choose another "host" or "port" in its config');
  if (owner !== undefined) return ok(subject, `in use, and this application's engine runs (pid ${owner})`);
  return failed(subject, `another process listens on ${host}:${port}, which ${classId} needs`, 'end that process, or choose another "port" in its config');
}

/** Code of the error that listening ends with; undefined when it works. */
function bindProblem(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
