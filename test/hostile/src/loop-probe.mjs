// Loaded into the engine's process: writes down how long its event loop stood still, and its memory.
// A line is JSON: `at` milliseconds since the epoch, `gap` how long the loop stood still, `cpu` what its thread worked meanwhile (both ms), `rss` bytes.
// One that shows 4 MB more than any before has `parts` of the memory as well.
// Once a file `<pid>.measure` appears in the folder, a line has `parts` and is `asked`. When it says `collect`, the garbage is collected
// before, and the line says what is left: `live` bytes of the heap and of what hangs on it.
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { memoryParts } from './memory-parts.mjs';

const folder = process.env.TREADLE_HOSTILE_PROBE;
const SMALLEST = 10;
const EVERY = 2;
const MEMORY_EVERY = 100;
const MORE_BYTES = 4 * 1_048_576;
const OWN_TIME = `/proc/self/task/${process.pid}/schedstat`;

/** Processor time of this thread in ms; where the system does not tell, that of the process, whose other threads count then too. */
const worked = existsSync(OWN_TIME)
  ? () => Number(readFileSync(OWN_TIME, 'latin1').split(' ')[0]) / 1e6
  : () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;

if (folder && isMainThread) {
  const file = join(folder, `${process.pid}.jsonl`);
  const asked = join(folder, `${process.pid}.measure`);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  let last = performance.now();
  let cpu = worked();
  let reported = 0;
  let most = 0;
  setInterval(() => {
    const now = performance.now();
    const gap = now - last - EVERY;
    const used = worked() - cpu;
    if (gap > SMALLEST || now - reported > MEMORY_EVERY) {
      reported = now;
      const rss = process.memoryUsage.rss();
      const isMost = rss > most + MORE_BYTES;
      if (isMost) most = rss;
      appendFileSync(file, `${JSON.stringify({ at: Date.now(), gap: Math.max(0, gap), cpu: used, rss, ...(isMost && { parts: memoryParts() }) })}\n`);
    }
    if (now === reported && existsSync(asked)) {
      const isCollected = readFileSync(asked, 'utf8') === 'collect';
      if (isCollected) for (let turn = 0; turn < 2; turn++) collect();
      const parts = memoryParts();
      appendFileSync(file, `${JSON.stringify({ at: Date.now(), gap: 0, cpu: 0, rss: parts.rss, parts, asked: true, ...(isCollected && { live: parts.used + parts.external }) })}\n`);
      rmSync(asked);
    }
    cpu = worked();
    last = performance.now();
  }, EVERY).unref();
}
