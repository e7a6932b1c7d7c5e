/** The wall clock is looked at this often; milliseconds. */
const LOOK_MS = 1_000;
/** Below this difference the clocks are not brought together, or spans of one trace would jump; milliseconds. */
const TOLERANCE_MS = 50;

let offset = performance.timeOrigin;
let looked = -Infinity;

/**
 * The time of day of a moment of the monotonic clock (`Clock.monotonic()`), in milliseconds since the epoch with fractions.
 * The same for all who ask in this process, so that a child never begins before its parent; follows the wall clock when that
 * is set.
 */
export function timeOfDay(monotonicMs: number): number {
  // By the moment itself: asking the clock for each span would cost more than the rest of this.
  if (monotonicMs - looked > LOOK_MS) {
    looked = monotonicMs;
    const wall = Date.now() - performance.now();
    if (Math.abs(wall - offset) > TOLERANCE_MS) offset = wall;
  }
  return offset + monotonicMs;
}
