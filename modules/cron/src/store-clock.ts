import type { Clock, SharedCron } from '@treadle/api';

/** The engine's clock, with the time of day of a store that several engines share: all of them have the same ticks then. */
export function storeClock(clock: Clock, shared: SharedCron | undefined): Clock {
  if (!shared) return clock;
  return {
    now: () => clock.now(), wall: () => shared.now(), monotonic: () => clock.monotonic(),
    after: (ms, task) => clock.after(ms, task), every: (ms, task) => clock.every(ms, task),
  };
}
