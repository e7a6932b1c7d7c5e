import type { FakeClock } from '../fake-clock.js';

/** A fake clock that takes the time of a store along: the store is moved first. */
export function clockWithStore(clock: FakeClock, moveStore: (now: number) => Promise<void>): FakeClock {
  const moved = (move: 'advance' | 'sleep') => async (ms: number): Promise<void> => {
    if (ms > 0) await moveStore(clock.now() + ms);
    await clock[move](ms);
  };
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, task) => clock.after(ms, task),
    every: (ms, task) => clock.every(ms, task),
    advance: moved('advance'),
    sleep: moved('sleep'),
    get pending() {
      return clock.pending;
    },
  };
}
