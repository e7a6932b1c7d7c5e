import { startPeer, type Contestant } from './contestant-process.js';
import type { ItemOptions, ItemResult } from './item.js';
import { medianOf, ratioOf, rotate, type Entry } from './rounds.js';
import { startPostgres, startRedis, type Service } from './services.js';
import { startBlocks } from './treadle-blocks.js';

interface Spec {
  readonly id: string;
  readonly name: string;
  start(services: Services): Promise<Contestant>;
  /** Messages sent and not handled at which producers wait; the value at which the contestant is fastest. */
  readonly outstanding?: number;
  /** Time between two messages at low load; default 5 ms. */
  readonly everyMs?: number;
}

interface Services { readonly everysec: Service; readonly always: Service; readonly postgres: Service }

type QueueFigures = Readonly<Record<'perSecond' | 'cpuPerMessage' | 'enqueueP50Ms' | 'enqueueP99Ms' | 'latencyP50Ms' | 'latencyP99Ms' | 'lost', number>>;

const LATENCY_SHARE = 0.6;

const SPECS: readonly Spec[] = [
  { id: 'port', name: 'Treadle, QueuePort, full', start: () => startBlocks({ port: true }) },
  { id: 'ctx', name: 'Treadle, ctx.enqueue, full', start: () => startBlocks() },
  { id: 'libsql', name: 'Treadle, ctx.enqueue, full, libsql', start: () => startBlocks({ driver: 'libsql' }) },
  { id: 'bullmq', name: 'BullMQ, AOF everysec', start: ({ everysec }) => startPeer('bullmq.mjs', everysec.address), outstanding: 300 },
  { id: 'bullmq-always', name: 'BullMQ, AOF always', start: ({ always }) => startPeer('bullmq.mjs', always.address), outstanding: 300 },
  { id: 'streams', name: 'Redis streams, AOF everysec', start: ({ everysec }) => startPeer('redis-streams.mjs', everysec.address) },
  { id: 'streams-always', name: 'Redis streams, AOF always', start: ({ always }) => startPeer('redis-streams.mjs', always.address) },
  { id: 'pg-boss', name: 'pg-boss, insert per turn', start: ({ postgres }) => startPeer('pg-boss.mjs', postgres.address), everyMs: 50 },
  { id: 'graphile', name: 'graphile-worker, addJobs per turn', start: ({ postgres }) => startPeer('graphile-worker.mjs', postgres.address) },
];

/** Enqueue → handler → acknowledged, and the time from enqueue to handler at 200 messages per second. */
export async function queueItem({ rounds, seconds }: ItemOptions): Promise<ItemResult> {
  const services = { everysec: await startRedis('everysec'), always: await startRedis('always'), postgres: await startPostgres() };
  const running = new Map<string, Contestant>();
  const entries: Entry<QueueFigures>[] = SPECS.map(({ id, name }) => ({ id, name, rounds: [] }));
  try {
    for (const spec of SPECS) running.set(spec.id, await spec.start(services));
    await rotate(entries, rounds, (entry) => measure(SPECS.find(({ id }) => id === entry.id) as Spec, running.get(entry.id) as Contestant, seconds * 1000));
  } finally {
    await Promise.all([...running.values()].map((one) => one.stop()));
    await Promise.all(Object.values(services).map((one) => one.stop()));
  }
  const of = (id: string): Entry<QueueFigures> | undefined => entries.find((entry) => entry.id === id);
  const lost = entries.flatMap((entry) => entry.rounds.map((round) => round.lost)).reduce((sum, n) => sum + n, 0);
  return {
    title: 'Durable queue, enqueue to acknowledgement, about 260 bytes, 256 producers',
    entries,
    columns: {
      perSecond: 'msgs/s', cpuPerMessage: 'CPU us/msg, client', enqueueP50Ms: 'enqueue p50 ms', enqueueP99Ms: 'p99 ms',
      latencyP50Ms: 'at 200/s: enqueue to handler p50 ms', latencyP99Ms: 'p99 ms ', lost: 'lost',
    },
    checks: [
      { what: 'queue, QueuePort', value: medianOf(of('port'), 'perSecond'), unit: 'per second', atLeast: 100_000 },
      { what: 'queue, ctx.enqueue', value: medianOf(of('ctx'), 'perSecond'), unit: 'per second', atLeast: 100_000 },
      { what: 'queue, ctx.enqueue against BullMQ everysec', value: ratioOf(of('ctx'), of('bullmq'), ['perSecond', 'perSecond']), unit: 'x', atLeast: 6 },
      { what: 'queue, ctx.enqueue against Redis streams always', value: ratioOf(of('ctx'), of('streams-always'), ['perSecond', 'perSecond']), unit: 'x', atLeast: 1.4 },
      { what: 'enqueue to handler at 200/s, p50', value: medianOf(of('ctx'), 'latencyP50Ms'), unit: 'ms', atMost: 0.4 },
      { what: 'messages lost by anybody', value: lost, unit: 'messages', atMost: 0 },
    ],
  };
}

async function measure({ outstanding, everyMs }: Spec, contestant: Contestant, ms: number): Promise<QueueFigures> {
  const rate = await contestant.run<Record<'perSecond' | 'cpuPerMessage' | 'enqueueP50Ms' | 'enqueueP99Ms' | 'lost', number>>('throughput', { ms, outstanding });
  const low = await contestant.run<Record<'p50Ms' | 'p99Ms' | 'lost', number>>('latency', { ms: ms * LATENCY_SHARE, everyMs });
  return { ...rate, latencyP50Ms: low.p50Ms, latencyP99Ms: low.p99Ms, lost: rate.lost + low.lost };
}
