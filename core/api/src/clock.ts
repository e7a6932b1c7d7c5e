/** Handle of a timer; `cancel` may be called at any time, also after it fired. */
export interface Timer {
  cancel(): void;
}

/** The only source of time; tests replace it. */
export interface Clock {
  /**
   * Milliseconds since the Unix epoch. Goes on evenly where the wall clock jumps, also over a restart, and never goes back: for
   * delays, time limits and retention.
   */
  now(): number;
  /** What the wall clock shows, wherever it jumps: for what people read, and for times of day. Absent: the same as `now`. */
  wall?(): number;
  /** Milliseconds from an arbitrary origin; never goes backwards. */
  monotonic(): number;
  /** Runs `task` once after `ms`; does not keep the process alive. */
  after(ms: number, task: () => void): Timer;
  /** Runs `task` every `ms`; does not keep the process alive. */
  every(ms: number, task: () => void): Timer;
}

/** What the wall clock shows; milliseconds since the Unix epoch. */
export function wallTime(clock: Pick<Clock, 'now' | 'wall'>): number {
  return clock.wall === undefined ? clock.now() : clock.wall();
}
