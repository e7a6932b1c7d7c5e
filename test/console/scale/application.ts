import { appendFileSync } from 'node:fs';
import { EngineProcess } from '../../support/engine-process.js';
import { AdminClient } from '../../support/admin-client.js';
import { tempApplication } from '../../support/temp-folder.js';

/** How much there is to look at. */
export interface Amounts {
  readonly logs: number;
  readonly spans: number;
  readonly keys: number;
  readonly steps: number;
  readonly items: number;
}

/** Characters of the engine's output beside a request that failed. */
const OUTPUT = 4_000;
const CONFIG = `engine: { mode: development }
modules:
  - { class: modules::http::HttpModule, config: { port: 0, request_timeout_ms: 600000, max_event_loop_delay_ms: 60000 } }
  - { class: modules::stream::StreamModule, config: { port: 0 } }
  - { class: modules::console::ConsoleModule, config: { port: 0 } }
  - { class: modules::steps::StepsModule, config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node, config: { workers: 1 } }] } }
  - { class: modules::queue::QueueModule, config: { adapter: { class: modules::queue::adapters::Sqlite, config: { store_method: in_memory } } } }
  - { class: modules::state::StateModule, config: { adapter: { class: modules::state::adapters::KvStore, config: { store_method: in_memory } } } }
  - { class: modules::observability::OtelModule, config: { memory_max_spans: 100000, memory_max_bytes: 1073741824, logs_max_count: 200000, logs_max_bytes: 1073741824, sampling_ratio: 1 } }
`;
/** Does what its body says: so many of each, as quickly as it can. Half of what is made at once waits for the other. */
const FILL = `const AT_ONCE = 250;
const each = async (from, to, make) => { for (let at = from; at < to; at += AT_ONCE) await Promise.all(Array.from({ length: Math.min(AT_ONCE, to - at) }, (_, more) => make(at + more))); };
const name = (n) => String(n).padStart(7, '0');
export const config = { name: 'Fill', triggers: [{ type: 'http', method: 'POST', path: '/fill' }] };
export const handler = async ({ body: { from, to, what } }, { logger, state, streams }) => {
  if (what === 'logs') for (let n = from; n < to; n += 1) logger[n % 50 === 0 ? 'warn' : 'info']('order ' + n + ' was taken', { order: n, customer: { id: n % 97 }, item: 'lamp', tookMs: n % 13 });
  if (what === 'keys' || what === 'spans') await each(from, to, (n) => state.set(what, name(n), { n, status: 'open', note: 'a value of usual size' }));
  if (what === 'items') await each(from, to, (n) => streams.board.set('all', name(n), { n, status: 'open' }));
  return { status: 200, body: {} };
};
`;
/** Logs so many lines a second for so long, in one attempt: a second one would begin anew. */
const TAIL = `export const config = { name: 'Tail', triggers: [{ type: 'queue', topic: 'tail', config: { timeoutMs: 3600000, maxAttempts: 1 } }] };
export const handler = async ({ perSecond, seconds }, { logger }) => {
  const from = Date.now();
  for (let said = 0; said < perSecond * seconds;) {
    const due = Math.min(perSecond * seconds, Math.floor((Date.now() - from) * perSecond / 1000));
    for (; said < due; said += 1) logger.info('tail ' + said, { order: said, item: 'lamp' });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
`;
const STREAM = "export const config = { name: 'board', schema: { type: 'object' }, canAccess: () => true };\n";

/** Steps of chains of ten, each of which hands on to the next. */
function chains(count: number): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => {
    const [chain, at] = [Math.floor(n / 10), n % 10];
    const trigger = at === 0 ? `{ type: 'http', method: 'POST', path: '/chain/${chain}' }` : `{ type: 'queue', topic: 'chain-${chain}.${at}' }`;
    const enqueues = at === 9 ? '[]' : `['chain-${chain}.${at + 1}']`;
    return [`steps/chains/link-${chain}-${at}.step.js`, `export const config = { name: 'Link${chain}x${at}', triggers: [${trigger}], enqueues: ${enqueues}, flows: ['chain-${chain}'] };\nexport const handler = async () => ({ status: 200 });\n`];
  }));
}

/** An engine that is full of data. */
export class FullEngine {
  private constructor(readonly engine: EngineProcess, private readonly url: string) {}

  static async start({ steps }: Pick<Amounts, 'steps'>): Promise<FullEngine> {
    const folder = tempApplication({ 'config.yaml': CONFIG, 'steps/fill.step.js': FILL, 'steps/tail.step.js': TAIL, 'steps/board.stream.js': STREAM, ...chains(steps) });
    appendFileSync(`${folder}/.env`, 'LOG_LEVEL=info\n');
    const engine = new EngineProcess({ cwd: folder, args: ['--config', 'config.yaml'] });
    return new FullEngine(engine, await engine.ready());
  }

  get admin(): AdminClient {
    return new AdminClient(this.engine);
  }

  /** Makes what is asked for, in requests of at most `piece`. Returns the id of the last trace. */
  async fill(what: 'logs' | 'keys' | 'spans' | 'items', count: number, piece: number): Promise<string> {
    let trace = '';
    for (let from = 0; from < count; from += piece) {
      const answer = await fetch(`${this.url}/fill`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ what, from, to: Math.min(count, from + piece) }) });
      if (!answer.ok) throw new Error(`${what} from ${from}: ${answer.status} ${await answer.text()}; the engine said last: ${this.engine.output.slice(-OUTPUT)}`);
      trace = answer.headers.get('x-trace-id') ?? '';
    }
    return trace;
  }

  /** Lines of the log come from now on. */
  async tail(perSecond: number, seconds: number): Promise<void> {
    await this.admin.call('POST', '/queues/messages', { topic: 'tail', data: { perSecond, seconds } });
  }
}
