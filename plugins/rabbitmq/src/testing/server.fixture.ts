import { execFile, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, programFolder, ServerProcess } from '@treadle/testing';
import { connect } from 'amqplib';

/** Where the server's own scripts lie; those on the path may change the user first. */
const PLACES = ['/usr/lib/rabbitmq/bin', '/usr/local/lib/rabbitmq/bin', '/opt/rabbitmq/sbin', '/usr/local/sbin', '/opt/homebrew/sbin'];

/**
 * How long RabbitMQ 3.10.8 needs until a quorum queue that it has just made survives its kill: one that is killed earlier may find no leader for the queue ever after,
 * and nothing that a client can ask for tells when that time is over; milliseconds.
 */
const SETTLED_MS = 6_000;

type Environment = Readonly<Record<string, string>>;

/** What is known of a server of the tests, by its port. */
const environments = new Map<number, Environment>();
const managers = new Map<number, number>();

/** Why there is no server to test with; undefined where there is one. */
export function missingServer(): string | undefined {
  if (programs() === undefined) return 'rabbitmq-server is not installed here';
  return programFolder(['epmd']) === undefined ? 'epmd, Erlang\'s port mapper, is not on the path' : undefined;
}

/** A server with quorum queues and its management API, which has nothing to do with one of the machine. */
export async function startRabbit(): Promise<ServerProcess> {
  const [mapper, distribution, management] = [await portMapper(), await freePort(), await freePort()];
  return ServerProcess.start({
    name: 'RabbitMQ',
    launch: (port, folder) => {
      const environment = environmentOf({ port, folder, mapper, distribution });
      environments.set(port, environment);
      managers.set(port, management);
      writeFileSync(join(folder, 'enabled'), '[rabbitmq_management].\n');
      writeFileSync(join(folder, 'rabbitmq.conf'), `management.tcp.ip = 127.0.0.1\nmanagement.tcp.port = ${management}\ndisk_free_limit.absolute = 1MB\nlog.file.level = error\n`);
      // Else the figures of queues are up to 5 seconds old.
      writeFileSync(join(folder, 'advanced.config'), '[{rabbit, [{quorum_tick_interval, 250}]}].\n');
      return spawn(join(programs() ?? '', 'rabbitmq-server'), { env: { ...process.env, ...environment }, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    },
    url: (port) => `amqp://127.0.0.1:${port}`,
    answers: (url) => connect(url, { timeout: 1_000 }).then((connection) => connection.close().then(() => true), () => false),
  });
}

/** Runs a command of `rabbitmqctl`. */
export async function control({ port }: ServerProcess, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(join(programs() ?? '', 'rabbitmqctl'), ['-q', ...args], { env: { ...process.env, ...environments.get(port) } });
  return stdout;
}

/** A queue as the management API tells of it. */
export interface ServerQueue {
  readonly name: string;
  readonly messages_unacknowledged?: number;
  readonly messages?: number;
}

export async function queuesOf(server: ServerProcess, prefix = ''): Promise<readonly ServerQueue[]> {
  const all = await (await manage(server, '/api/queues/%2F?disable_stats=true&enable_queue_totals=true')).json() as readonly ServerQueue[];
  return all.filter(({ name }) => name.startsWith(prefix));
}

export async function removeQueues(server: ServerProcess, prefix: string): Promise<void> {
  await Promise.all((await queuesOf(server, prefix)).map(({ name }) => manage(server, `/api/queues/%2F/${encodeURIComponent(name)}`, 'DELETE')));
}

/** A server whose queues are made may be killed from now on. */
export function queuesSettled(): Promise<void> {
  return sleep(SETTLED_MS);
}

/** Asks the management API. */
export function manage({ port }: ServerProcess, path: string, method = 'GET', body?: object): Promise<Response> {
  const headers = { authorization: `Basic ${btoa('guest:guest')}`, 'content-type': 'application/json' };
  return fetch(`http://127.0.0.1:${managers.get(port)}${path}`, { method, headers, ...body && { body: JSON.stringify(body) } });
}

function environmentOf(at: { readonly port: number; readonly folder: string; readonly mapper: number; readonly distribution: number }): Environment {
  const { port, folder, mapper, distribution } = at;
  return {
    HOME: folder, RABBITMQ_NODENAME: `kit${port}@localhost`, RABBITMQ_NODE_PORT: String(port), RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1', RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'), RABBITMQ_LOG_BASE: join(folder, 'log'), RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'), RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none'), RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled'), RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, 'generated'), RABBITMQ_SCHEMA_DIR: join(folder, 'schema'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none', ERL_EPMD_PORT: String(mapper), ERL_EPMD_ADDRESS: '127.0.0.1',
    // The script becomes the server instead of staying before it, so that a signal reaches it.
    RUNNING_UNDER_SYSTEMD: '1',
  };
}

let mapping: Promise<number> | undefined;

/** The port of an Erlang port mapper of this process, with which it ends: a server would start one itself, which outlives it. */
function portMapper(): Promise<number> {
  return mapping ??= freePort().then((port) => {
    const started = spawn(join(programFolder(['epmd']) ?? '', 'epmd'), ['-address', '127.0.0.1', '-port', String(port)], { stdio: 'ignore' });
    started.unref();
    process.once('exit', () => void started.kill('SIGKILL'));
    return port;
  });
}

function programs(): string | undefined {
  return PLACES.find((folder) => ['rabbitmq-server', 'rabbitmqctl'].every((program) => existsSync(join(folder, program))));
}
