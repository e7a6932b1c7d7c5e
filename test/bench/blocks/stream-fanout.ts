/*
 * Fan-out of streams: broadcasts to clients in another process, which count bytes on raw sockets, and what a client costs in memory.
 * One line of JSON: deliveries a second, microseconds of processor time for each, and KB that a client adds to a process that has done nothing yet.
 *   node --expose-gc --import tsx test/bench/blocks/stream-fanout.ts [clients] [rounds]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { GROUP, startStreams } from './stream-engine.js';
import { growth, memoryNow } from './stream-memory.js';

const clients = Number(process.argv[2] ?? 1000);
const rounds = Number(process.argv[3] ?? 100);
const DATA = { text: 'x'.repeat(20), n: 1 };
const WARM_ROUNDS = 20;
const SETTLE_MS = 500;

const bench = await startStreams();
const empty = memoryNow();
await bench.open(clients);
await sleep(SETTLE_MS);
const joined = memoryNow();
const [single, tenfold] = [await measure(1), await measure(10)];
const added = growth(empty, memoryNow(), clients);
console.log(JSON.stringify({
  single: single.perSecond, singleCpu: single.cpuMicroseconds, tenfold: tenfold.perSecond, tenfoldCpu: tenfold.cpuMicroseconds,
  atRest: growth(empty, joined, clients).resident, after: added.resident, afterYoung: added.young, afterOwn: added.resident - added.young, heap: added.heap,
}));
await bench.stop();

async function measure(perTurn: number): Promise<{ readonly perSecond: number; readonly cpuMicroseconds: number }> {
  const times: number[] = [];
  for (let count = 0; count < WARM_ROUNDS; count += 1) await round(perTurn);
  const cpu = process.cpuUsage();
  for (let count = 0; count < rounds; count += 1) times.push(await round(perTurn));
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const deliveries = clients * perTurn;
  return { perSecond: deliveries / (times[Math.floor(times.length / 2)] as number) * 1000, cpuMicroseconds: (user + system) / (deliveries * rounds) };
}

async function round(perTurn: number): Promise<number> {
  const began = performance.now();
  await Promise.all(Array.from({ length: perTurn }, async () => bench.port.send(GROUP, { type: 'e', data: DATA })));
  await bench.delivered();
  return performance.now() - began;
}
