import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** What is alive in this process after a full collection, and what the process takes; bytes. */
export function memory() {
  collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { pid: process.pid, alive: heapUsed + external, resident: rss };
}
