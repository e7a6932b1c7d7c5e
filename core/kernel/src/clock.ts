import type { Clock, Timer } from '@treadle/api';

/** The machine's time. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, task) => timer(setTimeout(task, ms), clearTimeout),
  every: (ms, task) => timer(setInterval(task, ms), clearInterval),
};

function timer(handle: NodeJS.Timeout, clear: (handle: NodeJS.Timeout) => void): Timer {
  handle.unref();
  return { cancel: () => clear(handle) };
}
