import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerProcess } from '@treadle/testing';
import { expect } from 'chai';
import { missingPrograms, startPostgres } from '../../plugins/postgres/src/testing/server.fixture.js';
import { AdminClient, type ShownSubscription } from '../support/admin-client.js';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { request } from '../support/http-client.js';
import { requireOrSkip } from '../support/requirement.js';
import { tempApplication } from '../support/temp-folder.js';
import { waitUntil } from '../support/wait-until.js';

const MESSAGES = 300;
const GROUPS = 5;
/** So many that neither engine takes them all. */
const REQUESTS = 60;

interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
}

/** Words of the lines of a file that handlers write; none before the first. */
function linesOf(cwd: string, file: string): readonly (readonly string[])[] {
  const path = join(cwd, file);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1).map((line) => line.split(' ')) : [];
}

/** Asked for at once: a process whose engine was killed has another parent. */
const ENGINE_PID = 'const engine = process.ppid;\n';

const STEPS = {
  'steps/put.step.js': `
export const config = { name: 'Put', enqueues: ['work'], triggers: [{ type: 'http', method: 'POST', path: '/put' }] };
export const handler = async ({ request: { body } }, { enqueue }) => {
  await enqueue({ topic: 'work', data: body, messageGroupId: 'g' + body.n % ${GROUPS} });
  return { status: 202 };
};
`,
  'steps/look.step.js': `import { appendFileSync, existsSync } from 'node:fs';
${ENGINE_PID}export const config = { name: 'Look', triggers: [{ type: 'queue', topic: 'work', config: { maxAttempts: 1 } }] };
export const handler = async ({ n }, { traceId }) => {
  appendFileSync('looked.txt', n + ' ' + engine + ' ' + traceId + '\\n');
  if (n < 0 && !existsSync('mended')) throw new Error('not mended');
};
`,
  'steps/work.step.js': `import { appendFileSync } from 'node:fs';
${ENGINE_PID}export const config = { name: 'Work', triggers: [{ type: 'queue', topic: 'work', config: { type: 'fifo' } }] };
export const handler = async ({ n }) => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  appendFileSync('seen.txt', n + ' ' + engine + '\\n');
};
`,
};

describe('two engines on one PostgreSQL', function () {
  this.timeout(240_000);
  let database: ServerProcess | undefined;
  let schema = '';
  before(async function () {
    requireOrSkip(this, missingPrograms() === undefined, 'PostgreSQL is not installed');
    database = await startPostgres();
  });
  afterEach(stopAllEngines);
  after(() => database?.stop());

  /** `name`: of its configuration and its data. */
  async function start(cwd: string, name: string): Promise<{ readonly engine: EngineProcess; readonly url: string }> {
    writeFileSync(join(cwd, `${name}.yaml`), JSON.stringify({
      engine: { data_dir: name }, plugins: ['@treadle/postgres'],
      modules: [
        { class: 'modules::http::HttpModule', config: { port: 0, max_event_loop_delay_ms: 60000 } },
        { class: 'modules::stream::StreamModule', config: { port: 0 } },
        { class: 'modules::console::ConsoleModule', config: { port: 0 } },
        { class: 'modules::steps::StepsModule', config: { port: 0 } },
        { class: 'modules::queue::QueueModule', config: { adapter: { class: 'modules::queue::adapters::Postgres', config: { url: database?.url, schema } } } },
      ],
    }));
    const engine = new EngineProcess({ cwd, args: ['--config', `${name}.yaml`], dataDir: join(cwd, name), env: { NODE_ENV: 'production' } });
    return { engine, url: await engine.ready() };
  }

  const subscriptions = async (engine: EngineProcess): Promise<readonly (ShownSubscription & { readonly paused: boolean })[]> =>
    (await new AdminClient(engine).call<{ items: readonly (ShownSubscription & { readonly paused: boolean })[] }>('GET', '/queues')).items;

  it('share the work, keep the order of each key, and go on when one is killed', async () => {
    schema = 'work';
    const cwd = tempApplication(STEPS);
    const seen = (): readonly (readonly [n: number, engine: string])[] => linesOf(cwd, 'seen.txt').map(([n, engine = '']) => [Number(n), engine]);
    const [first, second] = [await start(cwd, 'first'), await start(cwd, 'second')];
    const acknowledged: number[] = [];
    for (let n = 0; n < MESSAGES; n += 1) {
      const { url } = n % 2 === 0 || second.engine.ended ? first : second;
      const answer = await request('POST', `${url}/put`, { n }).catch(() => undefined);
      if (answer?.status === 202) acknowledged.push(n);
      if (n === MESSAGES / 2) await second.engine.stop('SIGKILL');
    }
    const numbers = await waitUntil('every acknowledged message', () => {
      const all = [...new Set(seen().map(([n]) => n))];
      return acknowledged.every((n) => all.includes(n)) ? all : undefined;
    });
    expect(acknowledged.length).to.be.at.least(MESSAGES / 2);
    expect(new Set(seen().map(([, engine]) => engine)).size, 'engines that worked').to.equal(2);
    for (let group = 0; group < GROUPS; group += 1) {
      const ofGroup = numbers.filter((n) => n % GROUPS === group);
      expect(ofGroup).to.deep.equal([...ofGroup].sort((a, b) => a - b));
    }
    // Groups are worked on one at a time: what the killed engine had begun is all that may come twice.
    expect(seen().length - numbers.length, 'repeated').to.be.at.most(GROUPS);
  });

  it('make one trace of what a request at one of them sets off at the other', async () => {
    schema = 'traces';
    const cwd = tempApplication(STEPS);
    const [first, second] = [await start(cwd, 'first'), await start(cwd, 'second')];
    const traceOf = (n: number): string => n.toString(16).padStart(32, 'a');
    for (let n = 0; n < REQUESTS; n += 1) await request('POST', `${first.url}/put`, { n }, { traceparent: `00-${traceOf(n)}-00000000000000ff-01` });
    const looked = await waitUntil('every message', () => {
      const lines = linesOf(cwd, 'looked.txt');
      return lines.length >= REQUESTS && lines;
    });
    expect(looked.filter(([n, , trace]) => trace !== traceOf(Number(n)))).to.deep.equal([]);
    const away = looked.find(([, engine]) => engine === String(second.engine.pid));
    expect(away, `a message of ${first.engine.pid} at ${second.engine.pid}`).to.be.an('array');
    const spans = async (engine: EngineProcess): Promise<readonly Span[]> =>
      (await new AdminClient(engine).call<{ readonly rows: readonly Span[] }>('GET', `/traces/${traceOf(Number(away?.[0]))}`)).rows;
    const [here, there] = await waitUntil('the spans of both', async () => {
      const both = await Promise.all([first.engine, second.engine].map((engine) => spans(engine).catch(() => [])));
      return both.every(({ length }) => length > 0) && both;
    });
    const ids = new Set(here?.map(({ spanId }) => spanId));
    expect(there?.filter(({ spanId }) => ids.has(spanId)), 'spans that both have').to.deep.equal([]);
    expect(there?.filter(({ parentSpanId = '' }) => ids.has(parentSpanId)), 'spans at one whose parent is at the other').to.have.lengthOf.at.least(1);
  });

  it('show and redrive what died at the other', async () => {
    schema = 'letters';
    const cwd = tempApplication(STEPS);
    const [first, second] = [await start(cwd, 'first'), await start(cwd, 'second')];
    for (let n = 1; n <= REQUESTS; n += 1) await request('POST', `${first.url}/put`, { n: -n });
    const [one, other] = [new AdminClient(first.engine), new AdminClient(second.engine)];
    const shown = await waitUntil('the letters', async () => {
      const letters = await other.letters('Look');
      return letters.length === REQUESTS && letters;
    });
    expect(new Set(linesOf(cwd, 'looked.txt').map(([, engine]) => engine)).size, 'engines at which they died').to.equal(2);
    expect((await one.letters('Look')).map(({ id }) => id)).to.have.members(shown.map(({ id }) => id));
    writeFileSync(join(cwd, 'mended'), '');
    await other.call('POST', '/queues/dead-letters/redrive', { step: 'Look' });
    await waitUntil('every letter once more', async () => linesOf(cwd, 'looked.txt').length === 2 * REQUESTS && (await one.letters('Look')).length === 0);
    const letters = new Set(linesOf(cwd, 'looked.txt').slice(REQUESTS).map(([n]) => n));
    expect(letters.size).to.equal(REQUESTS);
  });

  it('pause and resume for each other', async () => {
    schema = 'pauses';
    const cwd = tempApplication(STEPS);
    const [first, second] = [await start(cwd, 'first'), await start(cwd, 'second')];
    const isPaused = async (engine: EngineProcess): Promise<boolean | undefined> => (await subscriptions(engine)).find(({ step }) => step === 'Work')?.paused;
    await new AdminClient(second.engine).call('POST', '/queues/pause', { step: 'Work' });
    await waitUntil('word of the pause', async () => await isPaused(first.engine) === true || undefined);
    await new AdminClient(first.engine).call('POST', '/queues/resume', { step: 'Work' });
    await waitUntil('word of the end of the pause', async () => await isPaused(second.engine) === false || undefined);
  });
});
