// What an open console costs an engine under load: orders that enqueue and write state, in slices with and without a page that follows what Home and Traces
// follow, one after the other on the same engine. npm run bench:console -- [--slices 12] [--ms 4000] [--connections 32]
// A busy machine makes the figures worthless: the script says how far slices of the same kind lie apart.
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { EngineProcess, stopAllEngines } from '../support/engine-process.js';
import { ConsolePage } from './src/console-page.js';
import { LoadProcess } from './src/load-process.js';
import { machine } from './src/machine.js';
import { BENCH_FOLDER } from './src/peers.js';
import { median, spread } from './src/statistics.js';
import { writeApplication } from './src/treadle-application.js';

/** What an open console may take. */
const LIMIT = 0.03;
/** Slices of one kind that lie further apart tell nothing of so small a difference. */
const MOST_SPREAD = 0.1;
const TOKEN = 'a-token-of-the-bench-alone';
const CONFIG = `modules:
  - class: modules::http::HttpModule
    config: { port: 0 }
  - class: modules::steps::StepsModule
    config: { port: false }
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
    config: { port: 0, page: true }
`;
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

const { values } = parseArgs({ options: { slices: { type: 'string', default: '12' }, ms: { type: 'string', default: '4000' }, connections: { type: 'string', default: '32' } } });
const [slices, ms, connections] = [number('slices', 2), number('ms', 100), number('connections', 1)];

const folder = writeApplication(STEPS);
const load = new LoadProcess();
try {
  const engine = new EngineProcess({ cwd: folder, args: ['--config', 'config.yaml'], env: { ADMIN_TOKEN: TOKEN } });
  const { port } = new URL(await engine.ready());
  const base = await engine.address('console');
  const body = JSON.stringify({ id: 7, item: 'lamp' });
  const request = `POST /orders HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const slice = (): Promise<{ readonly perSecond: number; readonly non2xx: number; readonly failures: number }> => load.run({ port: Number(port), connections, ms, request });
  await slice();
  const [closed, open]: [number[], number[]] = [[], []];
  let frames = 0;
  // Each kind comes first every other time: what is warm or full by then is so for both.
  const order = Array.from({ length: slices }, (_, at) => (at % 2 === 0 ? [false, true] : [true, false])).flat();
  for (const isOpen of order) {
    const page = isOpen ? await ConsolePage.open(base, TOKEN) : undefined;
    const { perSecond, non2xx, failures } = await slice();
    frames += page?.close() ?? 0;
    if (non2xx + failures > 0) throw new Error(`${non2xx} answers were no success, ${failures} connections failed`);
    (isOpen ? open : closed).push(perSecond);
    console.error(`[bench] slice ${Math.max(open.length, closed.length)} of ${slices}, console ${isOpen ? 'open' : 'closed'}: ${perSecond.toFixed(0)} orders/s`);
  }
  report(closed, open, frames);
} finally {
  load.stop();
  await stopAllEngines();
  rmSync(folder, { recursive: true, force: true });
}

function report(closed: readonly number[], open: readonly number[], frames: number): void {
  const facts = machine(BENCH_FOLDER, []);
  const cost = 1 - median(open.map((perSecond, at) => perSecond / (closed[at] ?? NaN)));
  console.log(`${facts.date}, Node ${facts.node}, ${facts.system}, ${facts.processors}; ${closed.length} slices each of ${ms} ms, ${connections} connections\n`);
  console.log('| console | orders/s, median | spread |\n|---|---:|---:|');
  for (const [name, all] of [['closed', closed], ['open', open]] as const) console.log(`| ${name} | ${median(all).toFixed(0)} | ${(spread(all) * 100).toFixed(1)} % |`);
  console.log(`\nan open console costs ${(cost * 100).toFixed(1)} % (median of pairs; at most ${LIMIT * 100} %); ${frames} messages came over it`);
  const isQuiet = spread(closed) <= MOST_SPREAD;
  if (!isQuiet) console.log(`the slices without a console lie ${(spread(closed) * 100).toFixed(0)} % apart: the machine is too busy for a verdict`);
  process.exitCode = frames === 0 || (isQuiet && cost > LIMIT) ? 1 : 0;
}

function number(name: 'slices' | 'ms' | 'connections', least: number): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(`--${name} must be a whole number from ${least}; got ${values[name]}`);
}
