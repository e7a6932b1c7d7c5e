// Another checkout of this repository against this one, on the same application, in interleaved slices: did a change cost speed?
// npm run bench:builds -- --before <path> [--rounds 11] [--ms 1500] [--only get,orders] [--runtime InProcess] [--starts 2]
// The other checkout must be built. A ratio above 1 means that this one is faster, or takes less processor time for a request. Rates need a quiet
// machine; processor time holds on a busy one as well. One start differs from the next by some percent: look at several.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { aboveZero, campaignOptions } from '../support/campaign.js';
import { LoadProcess } from './src/load-process.js';
import { type Measurement, measure } from './src/measure.js';
import { descendantsOf, residentMegabytes } from './src/process-usage.js';
import type { RunningServer } from './src/server-process.js';
import { median, spread } from '../support/statistics.js';
import { ROOT } from '../architecture/workspace.js';

/** Config without the name, and handler. A request of `queue` is 50 messages, which another Step consumes. */
const STEPS: Readonly<Record<string, readonly [string, string]>> = {
  get: ["triggers: [{ type: 'http', method: 'GET', path: '/get' }]", "async () => ({ status: 200, body: { message: 'hello world' } })"],
  post: ["triggers: [{ type: 'http', method: 'POST', path: '/post', bodySchema }]", 'async ({ body }) => ({ status: 200, body: { id: body.customer.id } })'],
  orders: [
    "triggers: [{ type: 'http', method: 'POST', path: '/orders', bodySchema }], enqueues: ['orders']",
    "async ({ body }, { enqueue }) => { await enqueue({ topic: 'orders', data: body }); return { status: 200, body: {} }; }",
  ],
  queue: [
    "triggers: [{ type: 'http', method: 'POST', path: '/queue' }], enqueues: ['orders']",
    "async ({ body }, { enqueue }) => { await Promise.all(Array.from({ length: 50 }, () => enqueue({ topic: 'orders', data: body }))); return { status: 200, body: {} }; }",
  ],
  state: ["triggers: [{ type: 'http', method: 'POST', path: '/state' }]", "async ({ body }, { state }) => { await state.set('orders', key(), body); return { status: 200, body: {} }; }"],
  stream: ["triggers: [{ type: 'http', method: 'POST', path: '/stream' }]", "async ({ body }, { streams }) => { await streams.board.set('all', key(), body); return { status: 200, body: {} }; }"],
};
const SCHEMA = `{
  type: 'object', additionalProperties: false, required: ['title', 'description', 'priority', 'customer', 'tags'],
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 200 }, description: { type: 'string' }, priority: { enum: ['low', 'normal', 'high'] },
    customer: { type: 'object', required: ['id', 'name', 'age'], properties: { id: { type: 'string' }, name: { type: 'string' }, age: { type: 'integer' } } },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 20 },
  },
}`;

interface Build extends RunningServer {
  readonly name: 'before' | 'now';
  readonly startMs: number;
  readonly idleMb: number;
}

const { rounds, ms, starts, ...values } = campaignOptions({
  before: undefined, rounds: 11, ms: 1500, only: Object.keys(STEPS).join(), runtime: 'Node', starts: 1,
});
if (values.before === undefined) throw new Error('--before must name a built checkout of this repository');
aboveZero({ rounds, ms, starts });
const roots = { before: resolve(values.before), now: ROOT };

const load = new LoadProcess();
try {
  for (let start = 1; start <= starts; start++) await compare(start);
} finally {
  load.stop();
}

async function compare(start: number): Promise<void> {
  // Who starts first has the warmer disk, or the colder one.
  const names = start % 2 === 1 ? ['before', 'now'] as const : ['now', 'before'] as const;
  const builds: Build[] = [];
  try {
    for (const name of names) builds.push(await started(name));
    const of = (name: Build['name']): Build => builds.find((build) => build.name === name) as Build;
    console.log(`\nstart ${start}, runtime ${values.runtime}: ready after ${of('before').startMs} ms before, ${of('now').startMs} ms now; idle ${of('before').idleMb} MB before, ${of('now').idleMb} MB now\n`);
    console.log('| path | req/s before | req/s now | ratio | spread | CPU us before | CPU us now | ratio | spread |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|');
    for (const path of values.only.split(',')) console.log(await row(path, of('before'), of('now')));
  } finally {
    await Promise.all(builds.map((build) => build.stop()));
  }
}

async function row(path: string, before: Build, now: Build): Promise<string> {
  const [old, fresh]: [Measurement[], Measurement[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const build of round % 2 === 0 ? [before, now] : [now, before]) (build === before ? old : fresh).push(await slice(build, path));
  }
  const cells = (of: (one: Measurement) => number, ratio: (a: number, b: number) => number, digits: number): string => {
    const ratios = old.map((one, index) => ratio(of(one), of(fresh[index] as Measurement)));
    const [a, b] = [old, fresh].map((all) => median(all.map(of)).toFixed(digits));
    return `${a} | ${b} | ${median(ratios).toFixed(3)} | ${(spread(ratios) * 100).toFixed(0)} %`;
  };
  return `| ${path} | ${cells((one) => one.perSecond, (a, b) => b / a, 0)} | ${cells((one) => one.cpuMain + one.cpuOthers, (a, b) => a / b, 1)} |`;
}

async function slice(build: Build, path: string): Promise<Measurement> {
  const measured = await measure({ request: path === 'get' ? 'get' : 'post', path: `/${path}` }, build, load, ms / 1000);
  const { failures, non2xx } = measured;
  if (failures + non2xx > 0) throw new Error(`${path}: ${failures} requests failed, ${non2xx} had another status than 200`);
  return measured;
}

async function started(name: Build['name']): Promise<Build> {
  const from = (path: string): string => pathToFileURL(join(roots[name], path)).href;
  const { writeApplication } = await import(from('test/bench/src/treadle-application.ts')) as typeof import('./src/treadle-application.js');
  const { EngineProcess: Engine } = await import(from('test/support/engine-process.ts')) as typeof import('../support/engine-process.js');
  const folder = writeApplication(application());
  const began = performance.now();
  const engine = new Engine({ cwd: folder, args: ['--config', 'config.yaml'], env: { NODE_ENV: 'production', LOG_FORMAT: 'json' } });
  const port = Number(new URL(await engine.ready()).port);
  const startMs = Math.round(performance.now() - began);
  await new Promise((done) => setTimeout(done, 2000));
  const pids = (): readonly number[] => [engine.pid, ...descendantsOf(engine.pid)];
  const idleMb = Math.round(pids().map(residentMegabytes).filter(Number.isFinite).reduce((sum, one) => sum + one, 0));
  const stop = async (): Promise<void> => {
    await engine.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  return { name, port, pids, stop, startMs, idleMb };
}

function application(): Record<string, string> {
  const steps = Object.entries(STEPS).map(([name, [config, handler]]) => [
    `steps/${name}.step.js`, `const bodySchema = ${SCHEMA};\nconst key = () => String(Math.floor(Math.random() * 1000));\nexport const config = { name: '${name}', ${config} };\nexport const handler = ${handler};\n`,
  ]);
  return {
    ...Object.fromEntries(steps) as Record<string, string>,
    'steps/consume.step.js': "export const config = { name: 'consume', triggers: [{ type: 'queue', topic: 'orders', config: { concurrency: 256 } }] };\nexport const handler = async () => {};\n",
    'steps/board.stream.js': "export const config = { name: 'board', schema: { type: 'object' } };\n",
    'config.yaml': `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::${values.runtime} }] }
  - class: modules::state::StateModule
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::queue::QueueModule
`,
  };
}
