import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type Logger, wallTime } from '@treadle/api';

const FILE = 'clock.json';
/** How often it is written down; milliseconds. */
const EVERY_MS = 60_000;
/** The same while the wall clock is behind it: after a kill this file is then all that knows the time. */
const EVERY_BEHIND_MS = 1_000;

/** A clock that can be told that it is later than it thinks. */
export type TellableClock = Clock & { notBefore(time: number): void };

/**
 * Goes on with the time that the former run on a data directory has seen, where the wall clock was put back meanwhile, and
 * writes down the time of this run. Returns what ends that.
 */
export function keepSeenTime(dataDir: string, clock: TellableClock, log: Logger): () => void {
  const file = join(dataDir, FILE);
  const seen = read(file);
  if (seen !== undefined) clock.notBefore(seen);
  let written = 0;
  const write = (): void => {
    written = clock.monotonic();
    try {
      writeFileSync(`${file}.draft`, JSON.stringify({ seen: clock.now() }), { mode: 0o600 });
      renameSync(`${file}.draft`, file);
    } catch (error) {
      log.warn('the time cannot be written down', { file, reason: (error as Error).message });
    }
  };
  write();
  const timer = clock.every(EVERY_BEHIND_MS, () => {
    const isBehind = clock.now() - wallTime(clock) > EVERY_BEHIND_MS;
    if (isBehind || clock.monotonic() - written >= EVERY_MS) write();
  });
  return () => {
    timer.cancel();
    write();
  };
}

function read(file: string): number | undefined {
  try {
    const { seen } = JSON.parse(readFileSync(file, 'utf8')) as { seen?: unknown };
    return typeof seen === 'number' && Number.isFinite(seen) ? seen : undefined;
  } catch {
    return undefined; // the first run, or a file that was cut off: the wall clock is all there is
  }
}
