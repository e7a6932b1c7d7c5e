/** When to start a worker again. @source reliability design, D-21 */
export class RestartPolicy {
  private streak = 0;
  private times: number[] = [];
  /** Ten crashes within a minute; ends with `reset`. */
  looping = false;

  /** Notes a crash and returns how long to wait, in milliseconds: 100, 200, 400 … at most 30,000. */
  crashed(nowMs: number): number {
    this.times = [...this.times.filter((time) => nowMs - time < WINDOW_MS), nowMs];
    this.looping ||= this.times.length >= MANY;
    const delayMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.streak);
    this.streak++;
    return delayMs;
  }

  /** The worker was healthy for a while, or its Steps have changed: what was before does not count. */
  reset(): void {
    this.streak = 0;
    this.times = [];
    this.looping = false;
  }
}

/** A worker that ran this long is healthy; milliseconds. */
export const HEALTHY_MS = 60_000;
const FIRST_MS = 100;
const LONGEST_MS = 30_000;
const WINDOW_MS = 60_000;
const MANY = 10;
