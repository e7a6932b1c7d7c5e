// Hands on texts of 1 MB, of which 12 are alive at a time, and prints the most bytes that its heap and its buffers ever had. With the argument `bound` as an engine does.
import { setTimeout as pause } from 'node:timers/promises';
import { boundGarbage } from './large-garbage.js';

const TEXTS = 600;
/** By then the heap has found its size. */
const FIRST = 200;
const ALIVE = 12;
/** About what one event loop reads from sockets at most. */
const PAUSE_MS = 5;

if (process.argv[2] === 'bound') boundGarbage();
const alive: string[] = [];
/** What a process has anyway. */
const kept = Array.from({ length: 200_000 }, (_, index) => ({ index, text: `text ${index}` }));
const most = { heap: 0, buffers: 0 };
for (let index = 0; index < TEXTS; index++) {
  // In pieces, as they come from a socket.
  alive.push(Buffer.concat(Array.from({ length: 16 }, () => Buffer.alloc(62_500, 'a'))).toString('latin1'));
  if (alive.length > ALIVE) alive.shift();
  await pause(PAUSE_MS);
  if (index < FIRST) continue;
  const { heapUsed, external } = process.memoryUsage();
  most.heap = Math.max(most.heap, heapUsed);
  most.buffers = Math.max(most.buffers, external);
}
process.stdout.write(JSON.stringify({ ...most, kept: kept.length }));
