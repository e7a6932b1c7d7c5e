import type { Clock, Timer } from '@treadle/api';

/** Timers that end together. */
export class Timers {
  private readonly all = new Set<Timer>();

  constructor(private readonly clock: Clock) {}

  /** Does something after so many milliseconds. */
  later(ms: number, task: () => void): void {
    const timer = this.clock.after(ms, () => {
      this.all.delete(timer);
      task();
    });
    this.all.add(timer);
  }

  cancel(): void {
    for (const timer of this.all) timer.cancel();
    this.all.clear();
  }
}
