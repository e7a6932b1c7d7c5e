import type { LogResult } from './log-run.js';
import type { Memory } from './memory.js';

/** Most that the resident memory of engine and Step process may grow by, in MB; what the answers would take whole is several times as much. */
export const MOST_MB = { streamed: 400, whole: 700, flood: 500, log: 300 } as const;
/** Lines beside those of handlers that may be counted as dropped: those of the engine itself. */
const OTHER_LINES = 100;

/** Which process grew too much. */
export function memoryFaults({ engine, steps }: Memory, most: number): readonly string[] {
  return Object.entries({ engine, 'Step process': steps }).flatMap(([name, [start, highest]]) =>
    highest - start < most ? [] : [`${name} grew by ${highest - start} MB, ${most} are allowed`]);
}

/** Whether each line that was written was read or told as dropped, and some were dropped. */
export function lineFaults({ read, dropped }: LogResult, written: number): readonly string[] {
  const counted = read + dropped;
  return [
    ...dropped === 0 ? ['nothing was dropped'] : [],
    ...counted < written || counted > written + OTHER_LINES ? [`${counted} lines were read or told as dropped, ${written} were written`] : [],
  ];
}
