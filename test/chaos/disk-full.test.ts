import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request, type Answer } from '../support/http-client.js';
import { SmallDisk } from '../support/small-disk.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const SIZE_MB = 64;
const BALLAST_MB = 44;
const IN_FLIGHT = 16;
const TEXT = 'x'.repeat(8000);

const STEPS = {
  'steps/enqueue.step.js': `export const config = { name: 'Enqueue', triggers: [{ type: 'http', method: 'POST', path: '/enqueue' }], enqueues: ['full'] };
export const handler = async ({ body }, { enqueue }) => {
  await enqueue({ topic: 'full', data: body });
  return { status: 200, body: {} };
};
`,
  'steps/careful.step.js': `export const config = { name: 'Careful', triggers: [{ type: 'http', method: 'POST', path: '/careful' }], enqueues: ['full'] };
export const handler = async ({ body }, { enqueue }) => {
  const said = await enqueue({ topic: 'full', data: body }).then(() => 'stored', (error) => error.code ?? error.name);
  return { status: 200, body: { said } };
};
`,
  'steps/consume.step.js': `import { appendFileSync, existsSync } from 'node:fs';

export const config = { name: 'Consume', triggers: [{ type: 'queue', topic: 'full' }] };
export const handler = async ({ id }) => {
  while (existsSync('hold')) await new Promise((resolve) => setTimeout(resolve, 50));
  appendFileSync('handled.txt', id + '\\n');
};
`,
};

const CONFIG = `engine:
  implicit_modules: false
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::InProcess }] }
  - class: modules::queue::QueueModule
`;

describe('a queue whose disk is full', function () {
  this.timeout(120_000);
  let cwd = '';
  let disk: SmallDisk | undefined;

  before(function () {
    cwd = tempApplication({ ...STEPS, 'config.yaml': CONFIG, hold: '' });
    disk = new SmallDisk(this, join(cwd, 'data'), SIZE_MB);
  });
  after(async () => {
    await stopAllEngines();
    disk?.unmount();
  });

  it('refuses with 503 queue_full, keeps what it acknowledged, goes on consuming and takes messages again without a restart', async () => {
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { LOG_FORMAT: 'json' } });
    const url = await engine.ready();
    writeFileSync(join(cwd, 'data/ballast'), Buffer.alloc(BALLAST_MB * 1_000_000));

    const { acknowledged, refusal } = await fill(url, 'a');
    expect({ status: refusal.status, code: (refusal.json as { code: string }).code, retry: refusal.headers['retry-after'] })
      .to.deep.equal({ status: 503, code: 'queue_full', retry: '5' });
    expect(acknowledged.length).to.be.greaterThan(100);
    expect(disk?.free, 'bytes left').to.be.lessThan(4_000_000);
    expect((await request('POST', `${url}/careful`, { id: 'careful', text: TEXT.repeat(100) })).json).to.deep.equal({ said: 'QueueFull' });
    expect(engine.ended, engine.output.slice(-2000)).to.equal(false);

    rmSync(join(cwd, 'hold'));
    await waitUntil('everything acknowledged to be handled', () => missing(cwd, acknowledged).length === 0);
    rmSync(join(cwd, 'data/ballast'));
    const later = await waitUntil('a message to be taken again', async () => {
      const answer = await request('POST', `${url}/enqueue`, { id: 'later', text: TEXT });
      return answer.status === 200 ? answer : undefined;
    });
    expect(later.status).to.equal(200);
    expect(engine.ended).to.equal(false);
    await waitUntil('the later message to be handled', () => missing(cwd, ['later']).length === 0);
    expect((await engine.stop()).code, engine.output.slice(-2000)).to.equal(0);
    expect(duplicates(cwd), 'messages handled twice').to.deep.equal([]);
  });

  it('loses nothing that it acknowledged when it is killed while the disk is full', async () => {
    writeFileSync(join(cwd, 'hold'), '');
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    const url = await engine.ready();
    writeFileSync(join(cwd, 'data/ballast'), Buffer.alloc(Math.max(0, (disk?.free ?? 0) - 8_000_000)));
    const { acknowledged } = await fill(url, 'b');
    await engine.stop('SIGKILL');
    rmSync(join(cwd, 'data/ballast'));
    rmSync(join(cwd, 'hold'));
    const again = new EngineProcess({ cwd, args: ['--config', 'config.yaml'] });
    await again.ready();
    await waitUntil('everything acknowledged to be handled', () => missing(cwd, acknowledged).length === 0);
    await again.stop();
  });
});

/** Sends until something is refused; others may be on their way then. */
async function fill(url: string, prefix: string): Promise<{ acknowledged: string[]; refusal: Answer }> {
  const acknowledged: string[] = [];
  let refusal: Answer | undefined;
  await Promise.all(Array.from({ length: IN_FLIGHT }, async (_, sender) => {
    for (let n = 0; !refusal && n < 10_000; n++) {
      const id = `${prefix}${sender}-${n}`;
      const answer = await request('POST', `${url}/enqueue`, { id, text: TEXT });
      if (answer.status === 200) acknowledged.push(id);
      else refusal = answer;
    }
  }));
  if (!refusal) throw new Error('the disk did not become full');
  return { acknowledged, refusal };
}

function handled(cwd: string): readonly string[] {
  const file = join(cwd, 'handled.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

function missing(cwd: string, ids: readonly string[]): readonly string[] {
  const there = new Set(handled(cwd));
  return ids.filter((id) => !there.has(id));
}

function duplicates(cwd: string): readonly string[] {
  const seen = new Set<string>();
  return handled(cwd).filter((id) => seen.has(id) || !seen.add(id));
}
