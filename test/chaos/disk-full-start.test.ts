import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { SmallDisk } from '../support/small-disk.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const MESSAGES = 200;
const TEXT = 'x'.repeat(8000);
/** What is written at the same time, all of it to one key. */
const AT_A_TIME = 8;
const KINDS = ['state', 'update', 'stream', 'message'] as const;

const STEPS = {
  'steps/write.step.js': `export const config = { name: 'Write', triggers: [{ type: 'http', method: 'POST', path: '/write' }], enqueues: ['full'] };
const WRITES = {
  state: ({ state }, { id, text }) => state.set('g', id, text),
  update: ({ state }, { id, text }) => state.update('g', 'counted', [{ type: 'set', path: 'text', value: text }]),
  stream: ({ streams }, { id, text }) => streams.items.set('g', id, { text }),
  message: ({ enqueue }, { id, text }) => enqueue({ topic: 'full', data: { id, text } }),
};
export const handler = async ({ body }, context) => {
  await WRITES[body.kind](context, body);
  return { status: 200, body: {} };
};
`,
  'steps/read.step.js': `export const config = { name: 'Read', triggers: [{ type: 'http', method: 'GET', path: '/read' }] };
export const handler = async (_, { state, streams }) => ({ status: 200, body: {
  value: (await state.get('g', 'kept'))?.length, item: (await streams.items.get('g', 'kept'))?.text.length,
} });
`,
  'steps/items.stream.js': "export const config = { name: 'items', schema: { type: 'object' } };\n",
  'steps/consume.step.js': `import { appendFileSync, existsSync } from 'node:fs';

export const config = { name: 'Consume', triggers: [{ type: 'queue', topic: 'full' }] };
export const handler = async ({ id }) => {
  while (existsSync('hold')) await new Promise((resolve) => setTimeout(resolve, 50));
  appendFileSync('handled.txt', id + '\\n');
};
`,
  'steps/tick.step.js': `import { appendFileSync } from 'node:fs';

export const config = { name: 'Tick', triggers: [{ type: 'cron', expression: '* * * * * *' }] };
export const handler = async () => appendFileSync('ticks.txt', 'x');
`,
};

const ADAPTERS = { Sqlite: 'config: {}', KvStore: 'config: { store_method: file_based }' } as const;

const configFor = (name: string, settings: string): string => `engine:
  implicit_modules: false
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::InProcess }] }
  - class: modules::queue::QueueModule
  - class: modules::cron::CronModule
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::${name}, ${settings} } }
  - class: modules::stream::StreamModule
    config: { port: 0, adapter: { class: modules::stream::adapters::${name}, ${settings} } }
`;

for (const [name, settings] of Object.entries(ADAPTERS)) {
  describe(`an engine that starts on a full disk (state and streams in ${name})`, function () {
    this.timeout(120_000);
    let cwd = '';
    let disk: SmallDisk | undefined;
    const inData = (file: string): string => join(cwd, 'data', file);
    const start = (): EngineProcess => new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { LOG_FORMAT: 'json' } });

    beforeEach(function () {
      cwd = tempApplication({ ...STEPS, 'config.yaml': configFor(name, settings), hold: '' });
      disk = new SmallDisk(this, join(cwd, 'data'), 40);
    });
    afterEach(async () => {
      await stopAllEngines();
      disk?.unmount();
    });

    /** Kills an engine whose messages are in the log alone, and leaves some bytes of the disk. */
    async function died(left: number): Promise<void> {
      const engine = start();
      const url = await engine.ready();
      for (const kind of ['state', 'stream']) await request('POST', `${url}/write`, { kind, id: 'kept', text: TEXT });
      for (let id = 0; id < MESSAGES; id += 1) expect((await request('POST', `${url}/write`, { kind: 'message', id, text: TEXT })).status).to.equal(200);
      await engine.stop('SIGKILL');
      writeFileSync(inData('ballast'), Buffer.alloc((disk?.free ?? 0) - left));
    }

    it('serves reads, refuses writes with 503, consumes, and takes writes again when there is room', async () => {
      await died(1_000_000);
      const engine = start();
      const url = await engine.address('http');
      const read = await waitUntil('a read', async () => {
        const answer = await request('GET', `${url}/read`);
        return answer.status === 200 ? answer.json : undefined;
      });
      expect(read).to.deep.equal({ value: TEXT.length, item: TEXT.length });
      for (const kind of KINDS) expect(await refusalsOf(url, kind), kind).to.deep.equal(['503']);
      rmSync(join(cwd, 'hold'));
      await waitUntil('some messages to be handled', () => handled(cwd).size >= MESSAGES / 10);
      rmSync(inData('ballast'));
      await waitUntil('everything acknowledged to be handled', () => handled(cwd).size >= MESSAGES);
      for (const kind of KINDS) {
        await waitUntil(`${kind} to be written again`, async () => (await request('POST', `${url}/write`, { kind, id: 'later', text: TEXT })).status === 200);
      }
      await waitUntil('a healthy engine', async () => (await request('GET', `${url}/health`)).status === 200);
      expect((await engine.stop()).code, engine.output.slice(-2000)).to.equal(0);
    });

    it('ends with 74 and says that there is no room when there is none at all, and has everything once there is', async () => {
      await died(0);
      const engine = start();
      expect((await engine.exit).code).to.equal(74);
      expect(engine.output).to.match(/no space left on device/).and.to.match(/free some space/);
      rmSync(inData('ballast'));
      rmSync(join(cwd, 'hold'));
      const again = start();
      const url = await again.ready();
      await waitUntil('everything acknowledged to be handled', () => handled(cwd).size >= MESSAGES);
      expect((await request('GET', `${url}/read`)).json).to.deep.equal({ value: TEXT.length, item: TEXT.length });
      await again.stop();
    });
  });
}

/** Writes to one key at the same time until something is refused; what the refusals are, each once. */
async function refusalsOf(url: string, kind: string): Promise<readonly string[]> {
  const refused = new Set<string>();
  for (let round = 0; round < 100 && refused.size === 0; round += 1) {
    const answers = await Promise.all(Array.from({ length: AT_A_TIME }, () => request('POST', `${url}/write`, { kind, id: 'same', text: `${round}${TEXT}` })));
    for (const { status, text } of answers) if (status !== 200) refused.add(status === 503 ? '503' : `${status} ${text}`);
  }
  return [...refused];
}

function handled(cwd: string): ReadonlySet<string> {
  const file = join(cwd, 'handled.txt');
  return new Set(existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
}
