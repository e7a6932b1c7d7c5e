import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempApplication } from '../../support/temp-folder.js';

/** A process that keeps what nobody needs: the run must notice it. */
export type Leak = 'engine' | 'worker';

const PROBE = fileURLToPath(new URL('../probe-plugin', import.meta.url));
/** Elements of eight bytes, on every order. */
const LEAK_PER_ORDER = 2048;
const ENGINE_LEAK_PER_SECOND = 400_000;

const config = (name: string, trigger: string, more = ''): string => `export const config = { name: '${name}', triggers: [{ ${trigger} }]${more} };\n`;

/** All keys come back: what is stored has an end. */
const ORDER = (leak: boolean): string => `${config('Order', "type: 'http', method: 'POST', path: '/orders/:id'", ", enqueues: ['placed']")}
const kept = [];
export const handler = async ({ pathParams: { id }, body }, { enqueue, logger, state, streams }) => {
  ${leak ? `kept.push(new Array(${LEAK_PER_ORDER}).fill(Date.now()));` : ''}
  await state.set('orders', id, body);
  await streams.board.set('open', 'item-' + (id % 50), { id, title: body.title });
  await enqueue({ topic: 'placed', data: { id } });
  logger.info('ordered', { order: id });
  return { status: 202, body: { id } };
};
`;

const BILL = `${config('Bill', "type: 'queue', topic: 'placed', config: { backoff: { type: 'fixed', delayMs: 20, jitter: 0 } }", ", enqueues: ['billed']")}
export const handler = async ({ id }, { attempt, enqueue, state }) => {
  if (id % 20 === 7 && attempt === 1) throw new Error('not at the first attempt');
  await state.update('totals', 'orders', [{ type: 'increment', path: 'count', by: 1 }]);
  await enqueue({ topic: 'billed', data: { id } });
};
`;

const SHIP = `${config('Ship', "type: 'queue', topic: 'billed'")}
export const handler = async ({ id }, { state }) => { console.log('shipped', (await state.get('orders', id))?.title); };
`;

const TIDY = `${config('Tidy', "type: 'cron', expression: '* * * * * *'")}
export const handler = async ({ scheduledAt }, { state, streams }) => {
  const second = new Date(scheduledAt).getSeconds();
  await state.set('ticks', String(second), { at: scheduledAt });
  await streams.board.set('ticks', 'now', { id: 'now', title: scheduledAt });
};
`;

const NOTICE = `${config('Notice', "type: 'state', group: 'ticks'")}
export const handler = async ({ key }, { logger }) => { logger.debug('noticed', { key }); };
`;

const READ = `${config('Read', "type: 'http', method: 'GET', path: '/orders/:id'")}
export const handler = async ({ pathParams: { id } }, { state }) => ({ status: 200, body: (await state.get('orders', id)) ?? {} });
`;

const HELLO = `${config('Hello', "type: 'http', method: 'GET', path: '/hello'")}
export const handler = async () => ({ status: 200, body: { message: 'hello world' } });
`;

const MEMORY = `import { memory } from '../probe/lib/memory.js';
${config('Memory', "type: 'http', method: 'GET', path: '/memory'")}
export const handler = async () => ({ status: 200, body: memory() });
`;

const BOARD = `export const config = {
  name: 'board', schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, title: { type: 'string' } } }, canAccess: () => true,
};
`;

/**
 * Writes the application into a fresh folder: every block is in use, telemetry keeps everything in memory. Its stores are small, so
 * that they are full after the warm-up whatever the rate: the history of metrics alone takes half an hour by default.
 */
export function soakApplication(leak?: Leak): string {
  const folder = tempApplication({
    'steps/order.step.js': ORDER(leak === 'worker'), 'steps/bill.step.js': BILL, 'steps/ship.step.js': SHIP, 'steps/tidy.step.js': TIDY, 'steps/notice.step.js': NOTICE,
    'steps/read.step.js': READ, 'steps/hello.step.js': HELLO, 'steps/memory.step.js': MEMORY, 'steps/board.stream.js': BOARD, 'config.yaml': configuration(leak),
  });
  symlinkSync(PROBE, join(folder, 'probe'), 'dir');
  return folder;
}

function configuration(leak?: Leak): string {
  return `plugins: [./probe]
modules:
  - class: soak::probe::ProbeModule
    config: { leak_bytes_per_second: ${leak === 'engine' ? ENGINE_LEAK_PER_SECOND : 0} }
  - class: modules::http::HttpModule
    config: { port: 0 }
  - class: modules::console::ConsoleModule
    config: { port: 0 }
  - class: modules::stream::StreamModule
    config: { port: 0 }
  - class: modules::observability::OtelModule
    config: { exporter: memory, sampling_ratio: 1.0, memory_max_spans: 2000, logs_max_count: 500, metrics_max_count: 500 }
  - class: modules::steps::StepsModule
    config: { port: false, runtimes: [{ class: modules::runtime::adapters::Node }] }
`;
}
