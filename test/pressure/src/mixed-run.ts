import { fileURLToPath } from 'node:url';
import { LoadProcess, type Slice } from '../../bench/src/load-process.js';
import { mainThreadSeconds } from '../../bench/src/process-usage.js';
import { AskedProcess } from '../../support/asked-process.js';
import { EngineProcess } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { tempApplication } from '../../support/temp-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import type { BareQuestion } from './bare-server.js';
import { HealthProbe } from './health-probe.js';

export interface MixedRun {
  readonly seconds: number;
  /** Connections that read, and as many that write. */
  readonly connections: number;
}

export interface MixedResult {
  readonly reads: Slice;
  /** Each stores a value and enqueues a message. */
  readonly writes: Slice;
  /** Messages that were handled, each of which increments a counter. */
  readonly handled: number;
  readonly health: ReturnType<HealthProbe['stop']>;
  /** The same from a server in a process of its own that has nothing to do: what the machine makes of it. */
  readonly bare: ReturnType<HealthProbe['stop']>;
  /** Of the engine's main thread, as parts of the time: that it computed, and that it could have and had no processor. */
  readonly thread: { readonly computed: number; readonly kept: number };
}

const PROBE_MS = 50;
/** How long messages may take that wait when the load has ended. */
const REST_MS = 60_000;

const READ = `export const config = { name: 'Read', triggers: [{ type: 'http', method: 'GET', path: '/read' }] };
export const handler = async () => ({ status: 200, body: { message: 'done' } });
`;
const WRITE = `export const config = { name: 'Write', enqueues: ['written'], triggers: [{ type: 'http', method: 'POST', path: '/write' }] };
export const handler = async ({ body }, { state, enqueue }) => {
  await Promise.all([state.set('values', 'k' + Math.floor(Math.random() * 1000), body), enqueue({ topic: 'written', data: body })]);
  return { status: 200, body: {} };
};
`;
const COUNT = `export const config = { name: 'Count', triggers: [{ type: 'queue', topic: 'written', config: { concurrency: 50 } }] };
export const handler = async (_, { state }) => { await state.update('counts', 'k' + Math.floor(Math.random() * 100), [{ type: 'increment' }]); };
`;
const HANDLED = `export const config = { name: 'Handled', triggers: [{ type: 'http', method: 'GET', path: '/handled' }] };
export const handler = async (_, { state }) => {
  const { items } = await state.list('counts', { limit: 1000 });
  return { status: 200, body: { handled: items.reduce((sum, { value }) => sum + value, 0) } };
};
`;
/** Where processors are shared a loop that waits for one is no overload. */
const CONFIG = `engine: { implicit_modules: false }
modules:
  - { class: modules::http::HttpModule, config: { port: 0, max_event_loop_delay_ms: 60000 } }
  - { class: modules::state::StateModule }
  - { class: modules::queue::QueueModule }
  - { class: modules::steps::StepsModule, config: { port: false } }
`;

/** Requests, state and queue as fast as they go, and what `/health` takes meanwhile. */
export async function runMixed({ seconds, connections }: MixedRun): Promise<MixedResult> {
  const cwd = tempApplication({
    'steps/read.step.js': READ, 'steps/write.step.js': WRITE, 'steps/count.step.js': COUNT, 'steps/handled.step.js': HANDLED, 'config.yaml': CONFIG,
  });
  const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { LOG_FORMAT: 'json', LOG_LEVEL: 'error' } });
  const loads = [new LoadProcess(), new LoadProcess()] as const;
  const server = new AskedProcess<BareQuestion>(fileURLToPath(new URL('./bare-server.ts', import.meta.url)));
  try {
    const url = await engine.ready();
    const bareUrl = await server.ask<string>({ type: 'listen' });
    const slice = { port: Number(new URL(url).port), connections, ms: seconds * 1000 };
    const before = mainThreadSeconds(engine.pid);
    const probes = [new HealthProbe(url, PROBE_MS), new HealthProbe(bareUrl, PROBE_MS)] as const;
    const [reads, writes] = await Promise.all([
      loads[0].run({ ...slice, request: 'GET /read HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' }), loads[1].run({ ...slice, request: postOf({ n: 1 }) }),
    ]);
    const [health, bare, after] = [probes[0].stop(), probes[1].stop(), mainThreadSeconds(engine.pid)];
    const part = (what: 'computed' | 'kept'): number => Math.round((after[what] - before[what]) / seconds * 100) / 100;
    const thread = { computed: part('computed'), kept: part('kept') };
    return { reads, writes, handled: await handledAtEnd(url, writes.requests - writes.non2xx), health, bare, thread };
  } finally {
    for (const load of loads) load.stop();
    await server.stop();
    await engine.stop('SIGKILL');
  }
}

function postOf(value: object): string {
  const body = JSON.stringify(value);
  return `POST /write HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** At least as many as were answered: writes that the end of the load cut off may have been stored. */
async function handledAtEnd(url: string, written: number): Promise<number> {
  return waitUntil(`${written} handled messages`, async () => {
    const { json } = await request('GET', `${url}/handled`);
    const { handled } = json as { handled: number };
    return handled >= written && handled;
  }, REST_MS);
}
