/** A moment as OpenTelemetry's API takes it: milliseconds since the epoch, a Date, or seconds and nanoseconds. */
export type TimeInput = number | Date | readonly [seconds: number, nanoseconds: number];

/** The wall clock is looked at this often; milliseconds. */
const LOOK_MS = 1_000;
/** A difference of the two clocks that is let pass; milliseconds. */
const TOLERANCE_MS = 50;
/** Three years of uptime, or the spring of 1973. */
const MONOTONIC_BELOW = 1e11;
let offset = performance.timeOrigin;
let looked = -Infinity;

/** Now, in milliseconds since the epoch with fractions. Follows the wall clock when that is set. */
function preciseNow(): number {
  const now = performance.now();
  if (now - looked > LOOK_MS) {
    looked = now;
    const wall = Date.now() - now;
    if (Math.abs(wall - offset) > TOLERANCE_MS) offset = wall;
  }
  return offset + now;
}

/** A given moment in milliseconds since the epoch; now when none is given. */
export function momentOf(time: TimeInput | undefined): number {
  if (time === undefined) return preciseNow();
  if (time instanceof Date) return time.getTime();
  if (typeof time !== 'number') return time[0] * 1000 + time[1] / 1e6;
  // A small one is of `performance.now()`, which OpenTelemetry takes as well.
  return time < MONOTONIC_BELOW ? performance.timeOrigin + time : time;
}
