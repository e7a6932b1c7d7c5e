import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BUILTIN_PLUGINS } from '@treadle/engine';
import { createTestComposition } from '@treadle/engine/testing';
import { answerFaults } from './api/answer-faults.fixture.js';
import { askOf, type ConsoleUnderTest } from './console.fixture.js';
import consolePlugin from './index.js';

const YAML = `
engine: { implicit_modules: false }
modules:
  - class: modules::console::ConsoleModule
    config: { port: 0, auth: { tokens: [{ name: viewer, role: viewer, token: a-token-of-the-viewer }, { name: unseeing, role: admin, payloads: false, token: a-token-without-payloads }] } }
  - class: modules::http::HttpModule
    config: { port: 0, max_event_loop_delay_ms: 60000 }
  - class: modules::steps::StepsModule
    config: { port: 0, record_inputs: true }
  - class: modules::queue::QueueModule
    config: { adapter: { class: modules::queue::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::state::StateModule
    config: { adapter: { class: modules::state::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::stream::StreamModule
    config: { port: 0, adapter: { class: modules::stream::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::cron::CronModule
    config: { adapter: { class: modules::cron::adapters::Sqlite, config: { store_method: in_memory } } }
  - class: modules::observability::OtelModule
`;

/** A request that writes state and enqueues; a consumer that fails for good when it is told to; a cron that comes once a year. */
const STEPS: Readonly<Record<string, string>> = {
  'steps/order.step.js': `export const config = {
  name: 'Order', flows: ['shop'], enqueues: ['orders.placed', 'never.used'],
  triggers: [{ type: 'http', method: 'POST', path: '/orders' }],
};
export const handler = async ({ body }, ctx) => {
  await ctx.state.set('orders', body.id, body);
  await ctx.enqueue({ topic: 'orders.placed', data: body });
  ctx.logger.info('an order was placed', { order: { id: body.id }, note: body.note });
  if (body.note) {
    ctx.trace.setAttribute('order.note', body.note);
    ctx.trace.addEvent('noted', { note: body.note });
  }
  return { status: 201, headers: { 'x-note': body.note ?? 'none' }, body: { id: body.id, note: body.note } };
};
`,
  'steps/notify.step.js': `export const config = { name: 'Notify', flows: ['shop'], triggers: [{ type: 'queue', topic: 'orders.placed', config: { maxAttempts: 1 } }] };
export const handler = async (order, ctx) => {
  if (order.fail) throw new TypeError('no mail for order ' + order.id);
  await ctx.streams.orders.set('all', order.id, { id: order.id, note: order.note });
};
`,
  'steps/yearly.step.js': `export const config = { name: 'Yearly', triggers: [{ type: 'cron', expression: '0 0 1 1 *' }] };
export const handler = async () => undefined;
`,
  'steps/orders.stream.js': "export const config = { name: 'orders' };\n",
  'package.json': '{ "type": "module" }',
};

/** An engine with every module and a few Steps, and its console. */
export interface ShopUnderTest extends ConsoleUnderTest {
  /** The JSON of an answer below `/api/v1`, whatever its status. @throws Error when one with success does not fit the schema of its route */
  json<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Places an order by `POST /run`. */
  order(order: { readonly id: string; readonly fail?: boolean; readonly note?: string }): Promise<{ readonly traceId: string; readonly outcome: { readonly status: number } }>;
  stop(): Promise<void>;
}

/** @param more further files by their paths, declarations of streams for example; not Steps */
export async function startShop(more: Readonly<Record<string, string>> = {}): Promise<ShopUnderTest> {
  const root = mkdtempSync(join(tmpdir(), 'treadle-shop-'));
  mkdirSync(join(root, 'steps'));
  for (const [name, text] of Object.entries({ ...STEPS, ...more })) writeFileSync(join(root, name), text);
  const builtins = [...BUILTIN_PLUGINS.filter(({ name }) => name !== consolePlugin.name), consolePlugin];
  const test = await createTestComposition({ root, builtins, yaml: YAML });
  const under = await askOf(test);
  const headers = { authorization: `Bearer ${under.token}`, 'x-console': '1', 'content-type': 'application/json' };
  const json: ShopUnderTest['json'] = async <T>(method: string, path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${under.port}/api/v1${path}`, { method, headers, ...body !== undefined && { body: JSON.stringify(body) } });
    const answer: unknown = await response.json();
    const faults = response.ok ? answerFaults(method, path, answer) : [];
    if (faults.length > 0) throw new Error(`an answer does not fit its schema: ${faults.join('; ')}`);
    return answer as T;
  };
  await until('the Steps', async () => (await json<{ items: readonly unknown[] }>('GET', '/steps')).items.length === 3).catch(async (error: unknown) => {
    const { diagnostics } = await json<{ diagnostics: unknown }>('GET', '/steps');
    await test.stop();
    throw new Error(JSON.stringify(diagnostics), { cause: error });
  });
  const stop = async (): Promise<void> => {
    await test.stop();
    rmSync(root, { recursive: true, force: true });
  };
  const order: ShopUnderTest['order'] = async (placed) => {
    const run = await json<Awaited<ReturnType<ShopUnderTest['order']>>>('POST', '/run', { kind: 'http', method: 'POST', path: '/orders', headers: { 'content-type': 'application/json' }, body: JSON.stringify(placed) });
    if (run.outcome.status >= 500) throw new Error(`the order ${placed.id} was answered ${run.outcome.status}`);
    return run;
  };
  return { ...under, json, stop, order };
}

/** Waits until something holds. @throws Error when it does not within a minute */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries === 1200) throw new Error(`${what} did not come in time`);
    await wait(50);
  }
}
