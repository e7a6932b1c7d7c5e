/*
 * Fan-out of streams: broadcasts to clients in another process, which count bytes on raw sockets, and what a client costs in memory.
 *   node --expose-gc --import tsx test/bench/blocks/stream-fanout.ts [clients] [rounds]
 */
import { GROUP, startStreams } from './stream-engine.js';
import { growth, memoryNow } from './stream-memory.js';

const clients = Number(process.argv[2] ?? 1000);
const rounds = Number(process.argv[3] ?? 100);
const DATA = { text: 'x'.repeat(20), n: 1 };
/** What a client may cost. */
const MOST_KB = 12;

const bench = await startStreams();
const empty = memoryNow();
await open();
const first = memoryNow();
for (let times = 0; times < 2; times += 1) {
  await measure('1 message a turn', 1);
  await measure('10 messages a turn', 10);
}
const before = memoryNow();
await open();
const [firstOnes, furtherOnes] = [growth(empty, first, clients), growth(before, memoryNow(), clients)];
console.log(`the first ${clients} clients, ${firstOnes.text}`);
console.log(`as many more, ${furtherOnes.text}`);
console.log(`at most ${MOST_KB} KB a client: ${Math.max(firstOnes.ownKb, furtherOnes.ownKb) <= MOST_KB ? 'met' : 'NOT met'}`);
await bench.stop();

async function open(): Promise<void> {
  await bench.ask({ type: 'open', port: bench.portNumber, count: clients, stalled: 0 });
  await new Promise((resolve) => setTimeout(resolve, 500));
}

async function measure(name: string, perTurn: number): Promise<void> {
  const times: number[] = [];
  for (let warm = 0; warm < 20; warm += 1) await round(perTurn);
  const cpu = process.cpuUsage();
  for (let count = 0; count < rounds; count += 1) times.push(await round(perTurn));
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] as number;
  const deliveries = clients * perTurn;
  console.log(`${name}: ${median.toFixed(2)} ms a round (p90 ${(times[Math.floor(times.length * 0.9)] as number).toFixed(2)}), `
    + `${Math.round(deliveries / median * 1000)} deliveries/s, ${((user + system) / (deliveries * rounds)).toFixed(2)} us CPU each`);
}

async function round(perTurn: number): Promise<number> {
  const began = performance.now();
  await Promise.all(Array.from({ length: perTurn }, async () => bench.port.send(GROUP, { type: 'e', data: DATA })));
  await bench.ask({ type: 'expect', bytes: bench.bytes() });
  return performance.now() - began;
}
