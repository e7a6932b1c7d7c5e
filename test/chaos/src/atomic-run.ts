import { EngineProcess } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { tempApplication } from '../../support/temp-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import type { AtomicStore, Left } from './atomic-stores.js';

/** Keys that the messages count in; several handlers at a time are after each. */
const KEYS = 3;

const FILL = `export const config = { name: 'Fill', triggers: [{ type: 'http', method: 'POST', path: '/fill' }], enqueues: ['work'] };
export const handler = async ({ body }, { enqueue }) => {
  for (let n = 0; n < body.count; n += 500) await enqueue(Array.from({ length: Math.min(500, body.count - n) }, (_, i) => ({ topic: 'work', data: { key: 'k' + (n + i) % ${KEYS} } })));
  return { status: 200, body: {} };
};
`;

const SEEN = `export const config = { name: 'Seen', triggers: [{ type: 'http', method: 'GET', path: '/seen' }] };
export const handler = async (_request, { state }) => ({ status: 200, body: { sum: (await state.list('count')).items.reduce((sum, { value }) => sum + value, 0) } });
`;

const count = (atomic: boolean): string => `export const config = { name: 'Count', atomic: ${atomic}, triggers: [{ type: 'queue', topic: 'work', config: { concurrency: 8, maxAttempts: 1000, backoff: { delayMs: 10 } } }], enqueues: ['counted'] };
export const handler = async ({ key }, { state, streams, enqueue }) => {
  const { value } = await state.update('count', key, [{ type: 'increment' }]);
  if (Math.random() < 0.2) await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
  await enqueue({ topic: 'counted', data: { key, value } });
  if (Math.random() < 0.05) throw new Error('as planned');
  await streams.shown.set('all', key, { value });
};
`;

const DECLARATION = "export const config = { name: 'shown', schema: { type: 'object' } };\n";

const SLOTS = { queue: 'Queue', state: 'State', stream: 'Stream' } as const;

function configOf({ plugin, adapter }: AtomicStore): string {
  const slots = Object.entries(SLOTS).map(([slot, name]) => ({
    class: `modules::${slot}::${name}Module`,
    config: { ...slot === 'stream' && { port: 0 }, ...adapter && { adapter: { class: `modules::${slot}::adapters::${adapter.name}`, config: adapter.config } } },
  }));
  return JSON.stringify({
    engine: { implicit_modules: false, init_timeout_ms: 60_000, start_timeout_ms: 60_000 }, ...plugin !== undefined && { plugins: [plugin] },
    modules: [
      { class: 'modules::http::HttpModule', config: { port: 0, max_event_loop_delay_ms: 60_000, handler_timeout_ms: 60_000 } },
      { class: 'modules::steps::StepsModule', config: { port: false, runtimes: [{ class: 'modules::runtime::adapters::Node', config: { workers: 1 } }] } },
      ...slots,
    ],
  });
}

/** What a run was about, and what did not agree. */
export interface AtomicVerdict {
  readonly kills: number;
  /** Messages whose acknowledgement is in the store after the last kill. */
  readonly acknowledged: number;
  /** Of each kill after which the four did not agree. */
  readonly faults: readonly string[];
}

/** How often what is killed, and what is counted. */
export interface AtomicRun {
  readonly kills: number;
  /** So many wait at least before each kill. */
  readonly messages: number;
  /** The control is a Step that is not: killed until the three do not agree. */
  readonly atomic?: boolean;
}

/**
 * Kills an engine again and again while its Step counts messages in state, in a stream and by messages, every second time also the server that its store
 * has, and compares the three with the acknowledgements after each kill.
 */
export async function runAtomicKills(store: AtomicStore, { kills, messages, atomic = true }: AtomicRun): Promise<AtomicVerdict> {
  const folder = tempApplication({
    'steps/fill.step.js': FILL, 'steps/seen.step.js': SEEN, 'steps/count.step.js': count(atomic), 'steps/shown.stream.js': DECLARATION, 'config.yaml': configOf(store),
  });
  const faults: string[] = [];
  let [acknowledged, filled] = [0, 0];
  for (let kill = 0; kill < kills && (atomic || faults.length === 0); kill++) {
    const engine = new EngineProcess({ cwd: folder, args: ['--config', 'config.yaml'] });
    const url = await engine.ready();
    if (filled - acknowledged < messages) {
      const { status, text } = await request('POST', `${url}/fill`, { count: messages });
      if (status !== 200) throw new Error(`the queue was not filled: ${status} ${text}`);
      filled += messages;
    }
    await waitUntil('the Step to go on', async () => await seen(url) > acknowledged);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
    const server = kill % 2 === 1 ? store.server : undefined;
    await server?.crash();
    await engine.stop('SIGKILL');
    await server?.resume();
    const { fault, total } = judged(await store.left(folder), filled);
    if (fault !== undefined) faults.push(`kill ${kill + 1}: ${fault}`);
    acknowledged = total;
  }
  return { kills, acknowledged, faults };
}

async function seen(url: string): Promise<number> {
  const { json } = await request('GET', `${url}/seen`);
  return (json as { readonly sum?: number } | undefined)?.sum ?? 0;
}

function judged({ counters, items, messages: told, waiting }: Left, messages: number): { readonly fault: string | undefined; readonly total: number } {
  const total = messages - waiting;
  const sum = Object.values(counters).reduce((all, one) => all + one, 0);
  const keys = Object.keys(counters).length;
  const agree = sum === total && [items, told].every((other) => Object.keys(other).length === keys && Object.entries(counters).every(([key, n]) => other[key] === n));
  return { total, fault: agree ? undefined : JSON.stringify({ counters, items, told, acknowledged: total }) };
}
