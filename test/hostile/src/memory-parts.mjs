// What the resident memory of this process consists of.
import { existsSync, readFileSync } from 'node:fs';

const SMAPS = '/proc/self/smaps';
/** An arena of glibc begins at a multiple of this. */
const ARENA_BYTES = 64n * 1_048_576n;

/**
 * Bytes. Of the main thread's isolate: `heap` (`used` of it), and `external`, what hangs on it. Resident by kind of mapping, where the system tells (Linux):
 * `files` (programs, libraries, database), `malloc` (heap of malloc for the first thread), `arenas` (those of the other threads), `other` (heaps
 * of V8 of all threads, stacks, and large blocks of malloc).
 */
export function memoryParts() {
  const { rss, heapTotal: heap, heapUsed: used, external } = process.memoryUsage();
  return { rss, heap, used, external, ...(existsSync(SMAPS) ? byMapping(readFileSync(SMAPS, 'latin1')) : {}) };
}

function byMapping(smaps) {
  const parts = { files: 0, malloc: 0, arenas: 0, other: 0 };
  let kind = 'other';
  for (const line of smaps.split('\n')) {
    const head = /^([0-9a-f]+)-[0-9a-f]+ \S+ \S+ \S+ \d+ *(.*)$/.exec(line);
    if (head) kind = kindOf(head[2], BigInt(`0x${head[1]}`));
    const resident = /^Rss: +(\d+) kB/.exec(line);
    if (resident) parts[kind] += Number(resident[1]) * 1024;
  }
  return parts;
}

function kindOf(path, from) {
  if (path === '[heap]') return 'malloc';
  if (path.startsWith('/')) return 'files';
  return from % ARENA_BYTES === 0n ? 'arenas' : 'other';
}
