// Loaded into the engine's process: writes down how long its event loop stood still, and its memory.
// A line is JSON: `at` milliseconds since the epoch, `gap` how long the loop stood still, `cpu` what its thread worked meanwhile (both ms), `rss` bytes.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

const folder = process.env.TREADLE_HOSTILE_PROBE;
const SMALLEST = 10;
const EVERY = 2;
const MEMORY_EVERY = 100;
const OWN_TIME = `/proc/self/task/${process.pid}/schedstat`;

/** Processor time of this thread in ms; where the system does not tell, that of the process, whose other threads count then too. */
const worked = existsSync(OWN_TIME)
  ? () => Number(readFileSync(OWN_TIME, 'latin1').split(' ')[0]) / 1e6
  : () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;

if (folder && isMainThread) {
  const file = join(folder, `${process.pid}.jsonl`);
  let last = performance.now();
  let cpu = worked();
  let reported = 0;
  setInterval(() => {
    const now = performance.now();
    const gap = now - last - EVERY;
    const used = worked() - cpu;
    if (gap > SMALLEST || now - reported > MEMORY_EVERY) {
      reported = now;
      appendFileSync(file, `${JSON.stringify({ at: Date.now(), gap: Math.max(0, gap), cpu: used, rss: process.memoryUsage.rss() })}\n`);
    }
    cpu = worked();
    last = performance.now();
  }, EVERY).unref();
}
