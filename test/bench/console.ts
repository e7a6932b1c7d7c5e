// What an open console costs an engine under load: orders that enqueue and write state, in slices with and without open pages, one after the other on the
// same engine. npm run bench:console -- [--slices 12] [--ms 4000] [--connections 32] [--views home,traces,logs,flows,queues,state] [--browser] [--profile FOLDER]
// A page is a client that follows and asks what the page of its view does and looks at nothing; with --browser it is Chromium, whose processor time is told apart.
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { aboveZero, campaignOptions, oneOf, progress } from '../support/campaign.js';
import { EngineProcess, engineProgram, stopAllEngines } from '../support/engine-process.js';
import { browserPages } from './src/console-browser.js';
import { ConsolePage, type Received, VIEW_NAMES, type ViewName } from './src/console-page.js';
import { consoleReport, isWithinLimit, type Sample } from './src/console-report.js';
import { LoadProcess } from './src/load-process.js';
import { machine } from './src/machine.js';
import { BENCH_FOLDER } from './src/peers.js';
import { cpuMicroseconds, descendantsOf } from './src/process-usage.js';
import { writeApplication } from './src/treadle-application.js';

const TOKEN = 'a-token-of-the-bench-alone';
const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: false }
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
    config: { port: 0, page: true }
`;
/** Slices that do not count: with open pages or without. */
const WARM_UP = [false, false, true, false];
/** What a page is told at first has come by then. */
const OPENED_MS = 500;
/** Load before each slice that does not count: what opening or closing a page leaves behind, garbage too, is not what an open one costs. */
const LEAD_MS = 1000;
const STEPS = {
  'config.yaml': CONFIG,
  'steps/take.step.ts': `import { http, step } from 'treadle';
export default step({ name: 'Take', triggers: [http('POST', '/orders')], enqueues: ['order.taken'] }, async ({ body }: any, { enqueue, state, logger }) => {
  await state.set('orders', String(body.id % 1000), body);
  await enqueue({ topic: 'order.taken', data: body });
  logger.info('an order was taken', { id: body.id });
  return { status: 202, body: { id: body.id } };
});
`,
  'steps/ship.step.ts': `import { queue, step } from 'treadle';
export default step({ name: 'Ship', triggers: [queue('order.taken')] }, async () => undefined);
`,
};

const { slices, ms, connections, ...values } = campaignOptions({ slices: 12, ms: 4000, connections: 32, views: VIEW_NAMES.join(','), browser: false, profile: undefined });
aboveZero({ slices, ms, connections });
const views = values.views.split(',').map((name) => oneOf('views', name, VIEW_NAMES) as ViewName);

const folder = writeApplication(STEPS);
const load = new LoadProcess();
const args = ['--config', 'config.yaml'];
const profiled = values.profile === undefined ? { args } : { program: '--cpu-prof', args: [`--cpu-prof-dir=${resolve(values.profile)}`, engineProgram(), ...args] };
const engine = new EngineProcess({ cwd: folder, env: { ADMIN_TOKEN: TOKEN }, ...profiled });
const browser = values.browser ? await browserPages() : undefined;
try {
  const { port } = new URL(await engine.ready());
  const base = await engine.address('console');
  const body = JSON.stringify({ id: 7, item: 'lamp' });
  const request = `POST /orders HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const job = { port: Number(port), connections, ms, request };
  // What runs often is compiled by then, in either case.
  for (const isOpen of WARM_UP) await measure(isOpen ? await openPages(base) : undefined, job);
  const [closed, open]: [Sample[], Sample[]] = [[], []];
  // Each kind comes first every other time: what is warm or full by then is so for both.
  const order = Array.from({ length: slices }, (_, at) => (at % 2 === 0 ? [false, true] : [true, false])).flat();
  for (const isOpen of order) {
    const sample = await measure(isOpen ? await openPages(base) : undefined, job);
    (isOpen ? open : closed).push(sample);
    progress('bench', `slice ${Math.max(open.length, closed.length)} of ${slices}, console ${isOpen ? 'open' : 'closed'}: ${sample.perSecond.toFixed(0)} orders/s, ${sample.engineUs.toFixed(0)} us of the engine each`);
  }
  const facts = machine(BENCH_FOLDER, []);
  console.log(`${facts.date}, Node ${facts.node}, ${facts.system}, ${facts.processors}; ${slices} slices each of ${ms} ms, ${connections} connections; ${values.browser ? 'Chromium with' : 'clients as'} ${views.join(', ')}\n`);
  console.log(consoleReport(closed, open));
  process.exitCode = isWithinLimit(closed, open) ? 0 : 1;
} finally {
  load.stop();
  await browser?.close();
  // A profile is written at an end in order.
  if (values.profile !== undefined) await engine.stop();
  await stopAllEngines();
  rmSync(folder, { recursive: true, force: true });
}

interface Pages {
  /** Processor time of the pages so far, in microseconds. */
  readonly used: () => number;
  readonly close: () => Promise<Received>;
}

async function openPages(base: string): Promise<Pages> {
  if (browser) return browser.open(base, TOKEN, views);
  const pages = await Promise.all(views.map((view) => ConsolePage.open(base, TOKEN, view)));
  return {
    used: () => cpuMicroseconds(process.pid),
    close: async () => pages.map((page) => page.close()).reduce((a, b) => ({ messages: a.messages + b.messages, bytes: a.bytes + b.bytes, answers: a.answers + b.answers })),
  };
}

async function measure(pages: Pages | undefined, job: Parameters<LoadProcess['run']>[0]): Promise<Sample> {
  const used = (): readonly number[] => [cpuMicroseconds(engine.pid), descendantsOf(engine.pid).reduce((sum, pid) => sum + cpuMicroseconds(pid), 0), pages?.used() ?? 0];
  if (pages) await setTimeout(OPENED_MS);
  await load.run({ ...job, ms: LEAD_MS });
  const before = used();
  const { requests, perSecond, non2xx, failures } = await load.run(job);
  const [engineUs = NaN, workerUs = NaN, pagesUs = NaN] = used().map((now, at) => now - (before[at] ?? NaN));
  const received = await pages?.close() ?? { messages: 0, bytes: 0, answers: 0 };
  if (non2xx + failures > 0) throw new Error(`${non2xx} answers were no success, ${failures} connections failed`);
  return { perSecond, engineUs: engineUs / requests, workerUs: workerUs / requests, pagesShare: pagesUs / (ms * 1000), received };
}
