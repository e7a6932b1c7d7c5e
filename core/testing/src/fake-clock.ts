import type { Clock, Timer } from '@treadle/api';

/** A clock that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /**
   * Moves time on by `ms`, running every timer that falls due at its own time; what the timers set off (promises,
   * immediates, short I/O) is given its turn before the next one runs.
   */
  advance(ms: number): Promise<void>;
  /** Moves time on as a machine that slept does: every timer that has fallen due runs once, at the end. For long times. */
  sleep(ms: number): Promise<void>;
  /** Timers that wait; a module that is stopped has none. */
  readonly pending: number;
}

interface Waiting {
  due: number;
  readonly every: number | undefined;
  readonly task: () => void;
  readonly order: number;
}

/** Any fixed moment, so that printed times are the same in every run. */
const EPOCH = Date.UTC(2026, 0, 1);

/** Makes a clock that starts at `now` (milliseconds since the epoch; default 2026-01-01). */
export function fakeClock(now: number = EPOCH): FakeClock {
  return new TestClock(now);
}

class TestClock implements FakeClock {
  private elapsed = 0;
  private orders = 0;
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly began: number) {}

  now(): number {
    return this.began + this.elapsed;
  }

  monotonic(): number {
    return this.elapsed;
  }

  after(ms: number, task: () => void): Timer {
    return this.add(ms, undefined, task);
  }

  every(ms: number, task: () => void): Timer {
    return this.add(ms, Math.max(1, ms), task);
  }

  get pending(): number {
    return this.waiting.size;
  }

  async advance(ms: number): Promise<void> {
    const end = this.elapsed + ms;
    await turn();
    for (let next = this.next(end); next; next = this.next(end)) {
      this.elapsed = Math.max(this.elapsed, next.due);
      if (next.every === undefined) this.waiting.delete(next);
      else next.due += next.every;
      next.task();
      await turn();
    }
    this.elapsed = end;
    await turn();
  }

  async sleep(ms: number): Promise<void> {
    this.elapsed += ms;
    for (const entry of this.waiting) if (entry.due < this.elapsed) entry.due = this.elapsed;
    await this.advance(0);
  }

  private add(ms: number, every: number | undefined, task: () => void): Timer {
    const entry: Waiting = { due: this.elapsed + Math.max(0, ms), every, task, order: this.orders };
    this.orders += 1;
    this.waiting.add(entry);
    return { cancel: () => void this.waiting.delete(entry) };
  }

  private next(end: number): Waiting | undefined {
    const due = [...this.waiting].filter((entry) => entry.due <= end);
    return due.sort((a, b) => a.due - b.due || a.order - b.order)[0];
  }
}

/** A few turns of the event loop: enough for promise chains and immediates that a timer set off. */
async function turn(): Promise<void> {
  for (let count = 0; count < 3; count += 1) await new Promise((resolve) => setImmediate(resolve));
}
