/** When to start a worker again. */
export class RestartPolicy {
  /** Crashes without a healthy minute between them. */
  streak = 0;

  /**
   * Five crashes without a healthy minute between them; ends with `reset`. Counted, not timed: the pauses alone would
   * stretch ten crashes over almost a minute.
   */
  get looping(): boolean {
    return this.streak >= MANY;
  }

  /** Notes a crash and returns how long to wait, in milliseconds: 100, 200, 400 … at most 30,000. */
  crashed(): number {
    const delayMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.streak);
    this.streak++;
    return delayMs;
  }

  /** The worker was healthy for a while, or its Steps have changed: what was before does not count. */
  reset(): void {
    this.streak = 0;
  }
}

/** A worker that ran this long is healthy; milliseconds. */
export const HEALTHY_MS = 60_000;
const FIRST_MS = 100;
const LONGEST_MS = 30_000;
const MANY = 5;
