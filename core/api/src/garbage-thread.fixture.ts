// Program of a thread that takes 100 values of some MB, one after the other, and tells what its heap came to.
import { getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { ThreadGarbage } from './thread-garbage.js';

const VALUES = 60;
/** So many live at a time, and grow old. */
const ALIVE = 3;
const PARTS = 100_000;

const { tidies } = workerData as { readonly tidies: boolean };
const garbage = new ThreadGarbage(8 * 2 ** 20);
const text = JSON.stringify(Array.from({ length: PARTS }, () => ({})));
const alive: unknown[] = [];
let most = 0;
let collections = 0;
for (let index = 0; index < VALUES; index++) {
  alive.push(JSON.parse(text));
  if (alive.length > ALIVE) alive.shift();
  if (tidies && garbage.tidy()) collections += 1;
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  most = Math.max(most, heap + external);
}
parentPort?.postMessage({ most, collections, shows: runInNewContext('typeof gc') as string });
