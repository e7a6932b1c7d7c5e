// Loaded into the engine's process: writes down how long its event loop stood still, and its memory.
// A line is JSON: `at` milliseconds since the epoch, `gap` how long the loop stood still, `cpu` what the process worked meanwhile (both ms), `rss` bytes.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.TREADLE_HOSTILE_PROBE;
const SMALLEST = 10;
const EVERY = 2;
const MEMORY_EVERY = 100;

if (folder) {
  const file = join(folder, `${process.pid}.jsonl`);
  let last = performance.now();
  let cpu = process.cpuUsage();
  let reported = 0;
  setInterval(() => {
    const now = performance.now();
    const gap = now - last - EVERY;
    const used = process.cpuUsage(cpu);
    if (gap > SMALLEST || now - reported > MEMORY_EVERY) {
      reported = now;
      appendFileSync(file, `${JSON.stringify({ at: Date.now(), gap: Math.max(0, gap), cpu: (used.user + used.system) / 1000, rss: process.memoryUsage.rss() })}\n`);
    }
    cpu = process.cpuUsage();
    last = performance.now();
  }, EVERY).unref();
}
