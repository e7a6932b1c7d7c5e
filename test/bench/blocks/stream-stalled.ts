/*
 * Many readers, some of which have stopped reading: messages of 1 KB, ten a second.
 *   npx tsx test/bench/blocks/stream-stalled.ts [clients] [stalled] [seconds]
 */
import { GROUP, startStreams } from './stream-engine.js';

const clients = Number(process.argv[2] ?? 5000);
const stalled = Number(process.argv[3] ?? clients / 20);
const seconds = Number(process.argv[4] ?? 15);
const DATA = { text: 'x'.repeat(1000) };

const bench = await startStreams({ ping_interval_ms: 2000 });
await bench.ask({ type: 'open', port: bench.portNumber, count: clients, stalled });
const times: number[] = [];
const end = performance.now() + seconds * 1000;
while (performance.now() < end) {
  const began = performance.now();
  await bench.port.send(GROUP, { type: 'e', data: DATA });
  await bench.ask({ type: 'expect', bytes: bench.bytes() });
  times.push(performance.now() - began);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, 100 - (performance.now() - began))));
}
times.sort((a, b) => a - b);
const at = (part: number): string => (times[Math.floor(times.length * part)] as number).toFixed(0);
const gone = await bench.ask({ type: 'stalled' });
console.log(`${clients} clients, ${stalled} stalled, ${times.length} broadcasts: all others had each in full after ${at(0.5)} ms (p50), ${at(0.99)} ms (p99); `
  + `cut off: ${String(gone['stalled'])} stalled, ${String(gone['others'])} others; ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB resident`);
await bench.stop();
