/** Handle of a timer; `cancel` may be called at any time, also after it fired. */
export interface Timer {
  cancel(): void;
}

/** The only source of time; tests replace it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds from an arbitrary origin; never goes backwards. */
  monotonic(): number;
  /** Runs `task` once after `ms`; does not keep the process alive. */
  after(ms: number, task: () => void): Timer;
  /** Runs `task` every `ms`; does not keep the process alive. */
  every(ms: number, task: () => void): Timer;
}
