import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { tempApplication } from '../support/temp-folder.js';
import { needsEmbeddedStore } from '../support/test-store.js';
import { waitUntil } from '../support/wait-until.js';

const STEP = `import { appendFileSync } from 'node:fs';
export const config = {
  name: 'Write', enqueues: ['after'],
  triggers: [{ type: 'http', method: 'POST', path: '/write' }, { type: 'queue', topic: 'after' }],
};
export const handler = async (input, { match, state, enqueue, streams }) => match({
  http: async () => {
    for (let n = 0; n < 20; n += 1) await state.set('g', 'k' + n, n);
    await enqueue({ topic: 'after', data: { n: 1 } });
    process.kill(process.pid, 'SIGKILL');
  },
  queue: async () => {
    const runs = (await state.update('runs', 'after', [{ type: 'increment' }])).value;
    if (runs === 1) process.kill(process.pid, 'SIGKILL');
    const { items } = await state.list('g', { limit: 100 });
    appendFileSync('seen.txt', JSON.stringify({ runs, keys: items.length }) + '\\n');
  },
});
`;

const SQLITE = ['modules::state::adapters::Sqlite', 'modules::queue::adapters::Sqlite'] as const;
const STORES: Readonly<Record<string, { readonly state: object; readonly queue: object }>> = {
  'Sqlite, full': stores({ durability: 'full' }),
  'Sqlite, relaxed': stores({ durability: 'relaxed' }),
  'Sqlite, in memory': stores({ store_method: 'in_memory' }),
  'KvStore, file': { ...stores({ durability: 'full' }), state: { class: 'modules::state::adapters::KvStore', config: { store_method: 'file_based', file_path: 'kv.db' } } },
  'KvStore, in memory': { ...stores({ durability: 'full' }), state: { class: 'modules::state::adapters::KvStore', config: { store_method: 'in_memory' } } },
};

describe('a killed Step process', function () {
  this.timeout(120_000);
  before(function () { needsEmbeddedStore(this, 'it names stores of its own'); });
  afterEach(stopAllEngines);

  for (const [name, { state, queue }] of Object.entries(STORES)) {
    it(`takes nothing with it that was acknowledged, and its message comes again (${name})`, async () => {
      const cwd = tempApplication({ 'steps/write.step.js': STEP, 'config.yaml': JSON.stringify({
        engine: { implicit_modules: false },
        modules: [
          { class: 'modules::http::HttpModule', config: { port: 0, max_event_loop_delay_ms: 60000 } }, { class: 'modules::steps::StepsModule', config: { port: false } },
          { class: 'modules::state::StateModule', config: { adapter: state } }, { class: 'modules::queue::QueueModule', config: { adapter: queue } },
        ],
      }) });
      const url = await new EngineProcess({ cwd, args: ['--config', 'config.yaml'] }).ready();
      expect((await request('POST', `${url}/write`)).status, 'the request is not repeated').to.equal(502);
      const seen = await waitUntil('the message to come again', () => {
        try {
          return readFileSync(join(cwd, 'seen.txt'), 'utf8') || undefined;
        } catch {
          return undefined; // not there yet
        }
      });
      expect(seen).to.equal('{"runs":2,"keys":20}\n');
    });
  }
});

function stores(config: object): { readonly state: object; readonly queue: object } {
  return { state: { class: SQLITE[0], config }, queue: { class: SQLITE[1], config } };
}
