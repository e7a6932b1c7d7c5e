import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { AdminClient } from '../support/admin-client.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const MESSAGES = 1000;
const POISON = 500;
const DEATHS = 5;

const STEPS = {
  'steps/enqueue.step.js': `export const config = { name: 'Enqueue', triggers: [{ type: 'http', method: 'POST', path: '/enqueue' }], enqueues: ['work'] };
export const handler = async ({ body: { count, poison } }, { enqueue }) => {
  await enqueue(Array.from({ length: count }, (_, n) => ({ topic: 'work', data: { n, poison: n === poison } })));
  return { status: 200, body: {} };
};
`,
  'steps/work.step.js': `import { appendFileSync } from 'node:fs';

export const config = { name: 'Work', triggers: [{ type: 'queue', topic: 'work' }] };
export const handler = async ({ n, poison }) => {
  appendFileSync('began.txt', n + '\\n');
  if (poison) process.reallyExit(0);
  await new Promise((resolve) => setTimeout(resolve, 5));
  appendFileSync('ended.txt', n + '\\n');
};
`,
};

const CONFIG = `engine:
  implicit_modules: false
modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node, config: { workers: 2 } }] }
  - class: modules::queue::QueueModule
  - class: modules::console::ConsoleModule
    config: { port: 0 }
`;

describe('a message that kills its worker', function () {
  this.timeout(120_000);
  afterEach(stopAllEngines);

  it('is alone in the dead letters after exactly five deaths; a thousand others are handled', async () => {
    const cwd = tempApplication({ ...STEPS, 'config.yaml': CONFIG });
    const engine = new EngineProcess({ cwd, args: ['--config', 'config.yaml'], env: { LOG_FORMAT: 'json' } });
    const url = await engine.ready();
    const admin = new AdminClient(engine);
    const { status, text } = await request('POST', `${url}/enqueue`, { count: MESSAGES + 1, poison: POISON });
    expect(status, text).to.equal(200);
    const others = Array.from({ length: MESSAGES + 1 }, (_, n) => n).filter((n) => n !== POISON);
    await waitUntil('the other messages to be handled', () => {
      const ended = new Set(numbersIn(cwd, 'ended.txt'));
      return others.every((n) => ended.has(n));
    }, 90_000);
    const letters = await admin.someLetters('Work', 60_000);

    expect(letters.map(({ step, reason, data, deaths, attempts }) => ({ step, reason, data, deaths, attempts })))
      .to.deep.equal([{ step: 'Work', reason: 'crash_limit', data: { n: POISON, poison: true }, deaths: DEATHS, attempts: 0 }]);
    expect(numbersIn(cwd, 'began.txt').filter((n) => n === POISON), 'runs of the message').to.have.length(DEATHS);
    expect(engine.ended, engine.output.slice(-2000)).to.equal(false);
  });
});

function numbersIn(cwd: string, name: string): readonly number[] {
  const file = join(cwd, name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}
