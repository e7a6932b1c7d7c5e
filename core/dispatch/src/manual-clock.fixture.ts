import type { Clock, Timer } from '@treadle/api';

/** A clock that goes on when it is told to; from 0, in milliseconds. */
export class ManualClock implements Clock {
  private time = 0;
  private readonly timers = new Set<{ readonly at: number; readonly task: () => void }>();
  now = (): number => this.time;
  monotonic = (): number => this.time;

  after(ms: number, task: () => void): Timer {
    const timer = { at: this.time + ms, task };
    this.timers.add(timer);
    return { cancel: () => void this.timers.delete(timer) };
  }

  every(): never { throw new Error('not used'); }

  get pending(): number { return this.timers.size; }

  /** Runs what is due in these milliseconds, in its order. */
  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const due = [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.timers.delete(due);
      this.time = Math.max(this.time, due.at);
      due.task();
    }
    this.time = end;
  }

  /** The same, and a turn of the event loop for what follows from it. */
  async pass(ms: number): Promise<void> {
    this.advance(ms);
    await new Promise((resolve) => { setImmediate(resolve); });
  }
}
