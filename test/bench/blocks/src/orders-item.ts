import { request } from '../../../support/http-client.js';
import { CONTESTANTS, requestBytes, type Contestant as HttpContestant } from '../../src/contestant.js';
import { LoadProcess } from '../../src/load-process.js';
import { LEAD_IN_SECONDS } from '../../src/measure.js';
import { cpuMicroseconds } from '../../src/process-usage.js';
import { startServer, type RunningServer } from '../../src/server-process.js';
import type { ItemOptions, ItemResult } from './item.js';
import { ratioOf, rotate, type Entry } from './rounds.js';
import { startRedis } from './services.js';
import { type OrdersServer, startOrders } from './treadle-blocks.js';

type OrderFigures = Readonly<Record<'posts' | 'consumed' | 'cpu' | 'p50Ms' | 'p99Ms' | 'failures' | 'unfinished', number>>;

const CONNECTIONS = 64;
/** How long consumers may take after the last request. */
const DRAIN_MS = 15_000;
const BYTES = requestBytes(CONTESTANTS.find(({ id }) => id === 'raw-post') as HttpContestant);

/** POST of 1 KB → validated → durably enqueued → 200; a consumer in the same program takes and acknowledges it. */
export async function ordersItem({ rounds, seconds }: ItemOptions): Promise<ItemResult> {
  const [everysec, always, pipe] = [await startRedis('everysec'), await startRedis('always'), await startRedis('everysec')];
  const nest = (...args: string[]): Promise<RunningServer> => startServer({ kind: 'peer', script: '../blocks/peers/nest-bullmq.mjs', args });
  const specs: readonly (readonly [string, string, () => Promise<OrdersServer>])[] = [
    ['in-process', 'Treadle, Steps in process, full', () => startOrders('InProcess')],
    ['worker', 'Treadle, Steps in a worker, full', () => startOrders('Node')],
    ['nest', 'NestJS on fastify + BullMQ, AOF everysec, ajv', () => nest(everysec.address)],
    ['nest-always', 'NestJS on fastify + BullMQ, AOF always, ajv', () => nest(always.address)],
    ['nest-documented', 'NestJS on fastify + BullMQ, AOF everysec, ValidationPipe', () => nest(pipe.address, 'documented')],
  ];
  const entries: Entry<OrderFigures>[] = specs.map(([id, name]) => ({ id, name, rounds: [] }));
  const running = new Map<string, OrdersServer>();
  const load = new LoadProcess();
  try {
    for (const [id, , start] of specs) running.set(id, await start());
    await rotate(entries, rounds, ({ id }) => measure(running.get(id) as OrdersServer, load, seconds * 1000));
  } finally {
    load.stop();
    await Promise.all([...running.values()].map((one) => one.stop()));
    await Promise.all([everysec.stop(), always.stop(), pipe.stop()]);
  }
  const of = (id: string): Entry<OrderFigures> | undefined => entries.find((entry) => entry.id === id);
  const against = (ours: string, peer: string): number => ratioOf(of(ours), of(peer), ['consumed', 'consumed']);
  return {
    title: 'POST 1 KB, validate, durable enqueue, consume, acknowledge; 64 connections', entries,
    columns: { posts: 'POST/s', consumed: 'consumed/s', cpu: 'CPU us/order, without Redis', p50Ms: 'p50 ms', p99Ms: 'p99 ms', failures: 'failures and non-2xx', unfinished: 'not consumed and acknowledged after 15 s' },
    checks: [
      { what: 'orders, in process against NestJS + BullMQ everysec as documented', value: against('in-process', 'nest-documented'), unit: 'x', atLeast: 3.5 },
      { what: 'orders, worker against NestJS + BullMQ everysec as documented', value: against('worker', 'nest-documented'), unit: 'x', atLeast: 2.1 },
      { what: 'orders, in process against NestJS + BullMQ everysec, ajv', value: against('in-process', 'nest'), unit: 'x', atLeast: 3.5 },
      { what: 'orders, worker against NestJS + BullMQ everysec, ajv', value: against('worker', 'nest'), unit: 'x', atLeast: 2.1 },
      { what: 'orders, in process against NestJS + BullMQ always, ajv', value: against('in-process', 'nest-always'), unit: 'x', atLeast: 4 },
    ],
  };
}

async function measure({ port, pids, stored = () => 0 }: OrdersServer, load: LoadProcess, ms: number): Promise<OrderFigures> {
  const consumed = async (): Promise<number> => ((await request('GET', `http://127.0.0.1:${port}/consumed`)).json as { consumed: number }).consumed;
  const job = { port, connections: CONNECTIONS, request: BYTES };
  const first = await consumed();
  const lead = await load.run({ ...job, ms: LEAD_IN_SECONDS * 1000 });
  const processes = pids();
  // A process that the engine kept in reserve may end meanwhile: it did nothing for the orders.
  const used = (): readonly number[] => processes.map(cpuMicroseconds);
  const [before, usedBefore, began] = [await consumed(), used(), performance.now()];
  const slice = await load.run({ ...job, ms });
  const cpu = used().map((now, index) => now - (usedBefore[index] ?? NaN)).filter(Number.isFinite).reduce((sum, one) => sum + one, 0) / slice.requests;
  const rate = (await consumed() - before) / ((performance.now() - began) / 1000);
  const expected = first + lead.requests + slice.requests;
  const open = async (): Promise<number> => Math.max(stored(), expected - await consumed());
  for (const until = performance.now() + DRAIN_MS; await open() > 0 && performance.now() < until;) await new Promise((resolve) => setTimeout(resolve, 20));
  return {
    posts: slice.perSecond, consumed: rate, cpu, p50Ms: slice.p50Ms, p99Ms: slice.p99Ms, failures: slice.failures + slice.non2xx,
    unfinished: await open(),
  };
}
