import { writeSync } from 'node:fs';
import type { Mark } from '@treadle/protocol';

let descriptor: number | undefined;

/** From now on marks go to this file descriptor. */
export function openMarks(fd: number | undefined): void {
  descriptor = fd;
}

/** Tells the engine at once, whatever comes next. */
export function mark(what: Mark): void {
  if (descriptor === undefined) return;
  try {
    writeSync(descriptor, `${JSON.stringify(what)}\n`);
  } catch {
    descriptor = undefined; // the engine is gone, or code of the application has closed it: nobody reads marks any more
  }
}
