import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';

const ROUNDS = 15;
const ENOUGH_MS = 150;
const BLOCK = Buffer.alloc(4096, 1);

/** How long the disk below `file` takes to make 4 KB durable: the median of a few tries, in milliseconds. */
export function fsyncMedian(file: string): number {
  const probe = `${file}.probe`;
  const descriptor = openSync(probe, 'w', 0o600);
  try {
    return median(measure(descriptor));
  } finally {
    closeSync(descriptor);
    rmSync(probe, { force: true });
  }
}

function measure(descriptor: number): number[] {
  const times: number[] = [];
  for (let total = 0; times.length < ROUNDS && total < ENOUGH_MS; total += times.at(-1) ?? 0) {
    const began = performance.now();
    writeSync(descriptor, BLOCK);
    fdatasyncSync(descriptor);
    times.push(performance.now() - began);
  }
  return times;
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
