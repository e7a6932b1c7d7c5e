import { uptime } from 'node:os';
import type { Timer } from '@treadle/api';
import { SteadyClock } from './steady-clock.js';

/** The machine's time, steady over jumps of the wall clock. Its timers do not keep the process alive. */
export const systemClock = new SteadyClock(
  { wall: () => Date.now(), monotonic: () => performance.now(), uptime: () => uptime() * 1_000 },
  {
    after: (ms, task) => timer(setTimeout(task, ms), clearTimeout),
    every: (ms, task) => timer(setInterval(task, ms), clearInterval),
  },
);

function timer(handle: NodeJS.Timeout, clear: (handle: NodeJS.Timeout) => void): Timer {
  handle.unref();
  return { cancel: () => clear(handle) };
}
