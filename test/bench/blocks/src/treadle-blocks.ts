import { cpSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from 'node:net';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { EngineProcess } from '../../../support/engine-process.js';
import { request } from '../../../support/http-client.js';
import type { NamedAdapter } from '../../../support/shared-backends.js';
import { descendantsOf } from '../../src/process-usage.js';
import type { RunningServer } from '../../src/server-process.js';
import { ORDER_STEP, writeApplication } from '../../src/treadle-application.js';
import type { Contestant } from './contestant-process.js';

const JOBS = fileURLToPath(new URL('../peers/jobs.mjs', import.meta.url));
const PLUGIN = fileURLToPath(new URL('../producer-plugin', import.meta.url));
const HIDE_BETTER_SQLITE3 = fileURLToPath(new URL('../../../power-cut/src/hide-better-sqlite3.cjs', import.meta.url));

/** Counts in the process that runs the handlers, whatever the copies of a module in it. */
const METER = `import { Meter } from '${JOBS}';
export const meter = (globalThis[Symbol.for('treadle.bench.meter')] ??= new Meter());
`;

/** Runs a job of the bench inside one long request: everything it sends goes through \`ctx\`. */
const JOB_STEP = `import { throughput, latency, operations, VALUE } from '${JOBS}';
import { meter } from '../meter.mjs';

export const config = {
  name: 'Job', triggers: [{ type: 'http', method: 'POST', path: '/job', timeoutMs: 300000 }], enqueues: ['bench', 'backlog'],
};
export const handler = async ({ body: { job, ...options } }, { enqueue, state, streams }) => {
  const send = (data) => enqueue({ topic: 'bench', data });
  const jobs = {
    throughput: () => throughput({ send, meter }, options),
    latency: () => latency({ send, meter }, options),
    get: () => operations((key) => state.get('bench', key), options),
    set: () => operations((key) => state.set('bench', key, VALUE), options),
    item: () => operations((key) => streams.bench.set('all', key, VALUE), options),
    outstanding: () => ({ outstanding: meter.sentCount - meter.handledCount }),
    fill: async () => {
      for (let n = 0; n < 1000; n++) await state.set('bench', 'k' + n, VALUE);
      return {};
    },
    backlog: async () => {
      for (let left = options.messages; left > 0; left -= 500) {
        await enqueue(Array.from({ length: 500 }, (_, n) => ({ topic: 'backlog', data: { n: left - n, text: 'x'.repeat(200) } })));
      }
      return {};
    },
  };
  return { status: 200, body: await jobs[job]() };
};
`;

const HANDLED_STEP = `import { meter } from '../meter.mjs';
export const config = { name: 'Handled', triggers: [{ type: 'queue', topic: 'bench', config: { concurrency: 256 } }] };
export const handler = async (data) => { meter.handled(data); };
`;

const STREAM = "export const config = { name: 'bench', schema: { type: 'object' }, canAccess: () => true };\n";

/** Takes one message and keeps it, so that the others wait. */
const BACKLOG_STEP = `export const config = { name: 'Backlog', triggers: [{ type: 'queue', topic: 'backlog', config: { concurrency: 1, timeoutMs: 3600000 } }] };
export const handler = () => new Promise(() => undefined);
`;

const CONSUMED_STEP = `export const config = { name: 'Consumed', triggers: [{ type: 'http', method: 'GET', path: '/consumed' }] };
export const handler = async () => ({ status: 200, body: { consumed: globalThis[Symbol.for('treadle.bench.consumed')] ?? 0 } });
`;

const CONSUME_STEP = `const COUNT = Symbol.for('treadle.bench.consumed');
globalThis[COUNT] = 0;
export const config = { name: 'Consume', triggers: [{ type: 'queue', topic: 'orders', config: { concurrency: 256 } }] };
export const handler = async () => { globalThis[COUNT]++; };
`;

/** Adapters in place of the embedded store. */
export interface Adapters extends Partial<Readonly<Record<'queue' | 'state' | 'stream', NamedAdapter>>> {
  readonly plugins: readonly string[];
}

export interface BlocksOptions {
  /** Default: the best driver there is. */
  readonly driver?: 'libsql';
  /** Messages come from a module through QueuePort instead of from a Step through `ctx`. */
  readonly port?: boolean;
  /** Where queue, state and streams are; default: the embedded store. */
  readonly backend?: Adapters;
}

/** An engine that is its own producer and consumer, in one process, durable. */
export async function startBlocks({ driver, port = false, backend }: BlocksOptions = {}): Promise<Contestant> {
  const cwd = writeApplication({
    'meter.mjs': METER, 'steps/job.step.js': JOB_STEP, 'steps/handled.step.js': HANDLED_STEP, 'steps/backlog.step.js': BACKLOG_STEP,
    'steps/bench.stream.js': STREAM, 'config.yaml': configuration({ runtime: 'InProcess', port, ...backend && { backend } }),
  });
  if (port) cpSync(PLUGIN, join(cwd, 'producer-plugin'), { recursive: true });
  const env = driver === 'libsql' ? { NODE_OPTIONS: `--require=${HIDE_BETTER_SQLITE3}` } : {};
  const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { NODE_ENV: 'production', LOG_FORMAT: 'json', BENCH_JOBS: JOBS, ...env } });
  const url = await engine.ready();
  const run = port ? await lineJobs(await engine.address('bench')) : httpJobs(url);
  const stop = async (): Promise<void> => {
    sayWhereCommitted(engine);
    await engine.stop('SIGKILL');
    rmSync(cwd, { recursive: true, force: true });
  };
  return { run, stop };
}

/** A server of orders that can tell how many it has not acknowledged. */
export interface OrdersServer extends RunningServer {
  /** Messages in the store: an acknowledged one is gone. */
  stored?(): number;
}

/** An engine that takes orders over HTTP, validates and enqueues them, and consumes them. */
export async function startOrders(runtime: 'Node' | 'InProcess'): Promise<OrdersServer> {
  const producing = ORDER_STEP
    .replace("name: 'TakeOrder',", "name: 'TakeOrder', enqueues: ['orders'],")
    .replace('async ({ body }) => (', "async ({ body }, { enqueue }) => (await enqueue({ topic: 'orders', data: body }), ");
  const cwd = writeApplication({
    'steps/take-order.step.ts': producing, 'steps/consume.step.js': CONSUME_STEP, 'steps/consumed.step.js': CONSUMED_STEP,
    'config.yaml': configuration({ runtime }),
  });
  const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { NODE_ENV: 'production', LOG_FORMAT: 'json' } });
  const url = await engine.ready();
  const stop = async (): Promise<void> => {
    sayWhereCommitted(engine);
    await engine.stop('SIGKILL');
    rmSync(cwd, { recursive: true, force: true });
  };
  const stored = (): number => storedMessages(join(engine.dataDir, 'treadle.db'));
  return { port: Number(new URL(url).port), pids: () => [engine.pid, ...descendantsOf(engine.pid)], stored, stop };
}

type Sqlite = new (file: string, options: { readonly: true }) => { prepare(sql: string): { get(): unknown }; close(): void };

/** Read beside the engine that has the file open. */
function storedMessages(file: string): number {
  const database = new (createRequire(import.meta.url)('better-sqlite3') as Sqlite)(file, { readonly: true });
  try {
    return (database.prepare('SELECT count(*) AS n FROM queue_deliveries').get() as { n: number }).n;
  } finally {
    database.close();
  }
}

/** On a busy disk the store moves its commits to a thread, which costs rate: a reader of the figures has to know. */
function sayWhereCommitted({ output }: EngineProcess): void {
  if (/"commits":"thread"|store commits in a thread/.test(output)) console.error('[bench] this disk is slow or busy: the store committed in a thread');
}

function httpJobs(url: string): Contestant['run'] {
  return async (job, options) => {
    const { status, text, json } = await request('POST', `${url}/job`, { job, ...options });
    if (status !== 200) throw new Error(`job ${job}: ${status} ${text}`);
    return json as never;
  };
}

async function lineJobs(address: string): Promise<Contestant['run']> {
  const { port } = new URL(address);
  const socket = connect({ port: Number(port), host: '127.0.0.1' });
  await once(socket, 'connect');
  const lines = createInterface({ input: socket });
  return async (job, options) => {
    socket.write(`${JSON.stringify({ job, ...options })}\n`);
    const [line] = await once(lines, 'line') as [string];
    const answer = JSON.parse(line) as { error?: string };
    if (answer.error) throw new Error(`job ${job}: ${answer.error}`);
    return answer as never;
  };
}

interface Composition extends BlocksOptions { readonly runtime: 'Node' | 'InProcess' }

/** Ports, the runtime, the modules and their adapters: everything else is what users get. */
function configuration({ runtime, port = false, backend = { plugins: [] } }: Composition): string {
  const { plugins, ...adapters } = backend;
  const named = (slot: keyof typeof adapters): object => (adapters[slot] ? { config: { adapter: adapters[slot] } } : {});
  return JSON.stringify({
    plugins: [...plugins, ...port ? ['./producer-plugin'] : []],
    modules: [
      { class: 'modules::http::HttpModule', config: { port: 0 } },
      { class: 'modules::steps::StepsModule', config: { port: false, runtimes: [{ class: `modules::runtime::adapters::${runtime}` }] } },
      { class: 'modules::state::StateModule', ...named('state') },
      { class: 'modules::queue::QueueModule', ...named('queue') },
      { class: 'modules::stream::StreamModule', ...named('stream') },
      ...port ? [{ class: 'bench::producer::ProducerModule' }] : [],
    ],
  });
}
