import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { EngineProcess } from '../../support/engine-process.js';
import { request } from '../../support/http-client.js';
import { tempApplication } from '../../support/temp-folder.js';
import { waitUntil } from '../../support/wait-until.js';
import { ROOT } from '../workspace.js';

/* Counts the files whose functions are called for one POST and for one message, which docs/architecture.md tells of: `npm run walks`, with
   `--functions` for the names. What an idle engine calls in the same time does not count. */

const POST = `import { http, step } from 'treadle';

const bodySchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
export default step({ name: 'Post', triggers: [http('POST', '/post', { bodySchema })] }, async ({ body }) => ({ status: 200, body: { hello: body.name } }));
`;
const RECEIVE = `import { queue, step, topic } from 'treadle';

export default step({ name: 'Receive', triggers: [queue(topic('walked', { type: 'object', properties: { n: { type: 'number' } } }))] }, async () => undefined);
`;
const SEND = `import { http, step } from 'treadle';

// The message is sent and taken while this request waits, so that the walk of the request does not count.
export default step({ name: 'Send', triggers: [http('POST', '/send')], enqueues: ['walked'] }, async (input, { enqueue }) => {
  await new Promise((resolve) => { setTimeout(resolve, 1_500); });
  await enqueue({ topic: 'walked', data: { n: 1 } });
  await new Promise((resolve) => { setTimeout(resolve, 3_000); });
  return { status: 204 };
});
`;
const CONFIG = `engine: { implicit_modules: false }
modules:
  - class: modules::observability::OtelModule
    config: { enabled: false }
  - class: modules::http::HttpModule
    config: { port: 0 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node }] }
  - class: modules::queue::QueueModule
    config: { adapter: { class: modules::queue::adapters::Sqlite } }
`;

interface Called { readonly url: string; readonly functions: readonly string[] }
type Process = 'engine' | 'Step process';
/** The functions of each file, by the process. */
type Walk = Readonly<Record<Process, ReadonlyMap<string, ReadonlySet<string>>>>;

let takes = 0;
const folder = tempApplication({ 'config.yaml': CONFIG, 'steps/post.step.mjs': POST, 'steps/receive.step.mjs': RECEIVE, 'steps/send.step.mjs': SEND });
const target = join(folder, 'walks');
mkdirSync(target);
const preload = pathToFileURL(join(import.meta.dirname, 'called-files.mjs')).href;
const engine = new EngineProcess({
  cwd: folder, args: ['--config', 'config.yaml'], program: join(import.meta.dirname, 'unbundled-engine.mjs'),
  env: { NODE_OPTIONS: `--import ${preload}`, TREADLE_WALKS: target },
});
try {
  await report(await engine.ready());
} finally {
  await engine.stop();
}

async function report(url: string): Promise<void> {
  const post = (): Promise<unknown> => request('POST', `${url}/post`, { name: 'a' });
  const send = (): Promise<unknown> => request('POST', `${url}/send`, {});
  for (let count = 0; count < 5; count += 1) await post();
  await send();
  const pids = [engine.pid, ...childrenOf(engine.pid)];
  await take(pids);
  await sleep(6_000);
  const idle = await take(pids);
  await post();
  await sleep(300);
  print('one POST', without(await take(pids), idle));
  const sending = send();
  await sleep(750);
  await take(pids);
  await sleep(2_250);
  print('one message', without(await take(pids), idle));
  await sending;
}

/** What was called since the last take. */
async function take(pids: readonly number[]): Promise<Walk> {
  takes += 1;
  for (const pid of pids) process.kill(pid, 'SIGUSR2');
  const walks = await Promise.all(pids.map(async (pid) => {
    const file = join(target, `${pid}-${takes}.json`);
    const called = await waitUntil(file, () => (existsSync(file) ? parsed(readFileSync(file, 'utf8')) : undefined));
    return new Map(called.map(({ url, functions }) => [sourceOf(url), new Set(functions)]));
  }));
  return { 'engine': walks[0] ?? new Map(), 'Step process': walks[1] ?? new Map() };
}

function parsed(text: string): readonly Called[] | undefined {
  try {
    return JSON.parse(text) as readonly Called[];
  } catch {
    return undefined; // half written
  }
}

/** The source of a built file; '' for what is not the repository's. */
function sourceOf(url: string): string {
  const path = relative(ROOT, fileURLToPath(url));
  return path.startsWith('..') || path.includes('node_modules') || path.startsWith('test/') ? '' : path.replace('/dist/', '/src/').replace(/\.js$/, '.ts');
}

function without(walk: Walk, idle: Walk): Walk {
  const of = (process: Process): ReadonlyMap<string, ReadonlySet<string>> => new Map([...walk[process]].flatMap(([file, functions]) => {
    const own = [...functions].filter((name) => !idle[process].get(file)?.has(name));
    return file === '' || own.length === 0 ? [] : [[file, new Set(own)]];
  }));
  return { 'engine': of('engine'), 'Step process': of('Step process') };
}

function print(name: string, walk: Walk): void {
  const [inEngine, inProcess] = [walk.engine.size, walk['Step process'].size];
  process.stdout.write(`\n## ${name}: ${inEngine + inProcess} files, ${inEngine} in the engine and ${inProcess} in the Step process\n\n| process | file | functions |\n|---|---|---:|\n`);
  for (const [process_, files] of Object.entries(walk)) {
    for (const [file, functions] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const names = process.argv.includes('--functions') ? ` ${[...functions].map((each) => each.replace(/@.*/, '') || '(arrow)').join(' ')}` : '';
      process.stdout.write(`| ${process_} | ${file} | ${functions.size}${names} |\n`);
    }
  }
}

/** The Step process of the engine. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)
    .filter((each) => parsedStatus(each) === pid);
}

function parsedStatus(pid: number): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return undefined; // it has ended
  }
}
