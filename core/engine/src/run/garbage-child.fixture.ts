// Hands on texts of 1 MB, of which 12 are alive at a time, and prints the most bytes that its heap ever had. With the argument `bound` as an engine does.
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
let most = 0;
for (let index = 0; index < TEXTS; index++) {
  alive.push(Buffer.alloc(1_000_000, 'a').toString('latin1'));
  if (alive.length > ALIVE) alive.shift();
  await pause(PAUSE_MS);
  if (index >= FIRST) most = Math.max(most, process.memoryUsage().heapUsed);
}
process.stdout.write(JSON.stringify({ most, kept: kept.length }));
