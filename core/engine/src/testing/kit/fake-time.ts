import type { Clock, Timer } from '@treadle/api';

interface Waiting {
  /** Milliseconds after the clock's beginning. */
  due: number;
  readonly every: number | undefined;
  readonly task: () => void;
}

/**
 * The time of a test engine: stands still until it is moved. What is due at once needs no moving. From `goOn` on it passes by
 * itself, so that an engine can be stopped in its usual way.
 */
export class FakeTime implements Clock {
  /** Told before timers run. */
  onFire: () => void = () => undefined;
  private elapsed = 0;
  /** `performance.now()` at which it began to pass by itself. */
  private since: number | undefined;
  private real: NodeJS.Timeout | undefined;
  private soon: NodeJS.Immediate | undefined;
  private readonly origin = Math.floor(performance.now());
  /** In the order in which they were set. */
  private readonly waiting = new Set<Waiting>();

  /** @param began milliseconds since the epoch */
  constructor(private readonly began: number) {}

  now(): number {
    return this.began + Math.floor(this.passed);
  }

  monotonic(): number {
    return this.origin + this.passed;
  }

  after(ms: number, task: () => void): Timer {
    return this.add({ due: this.passed + Math.max(0, ms), every: undefined, task });
  }

  every(ms: number, task: () => void): Timer {
    return this.add({ due: this.passed + Math.max(1, ms), every: Math.max(1, ms), task });
  }

  /** Something is due now and runs with the next turn of the event loop. */
  get hasDue(): boolean {
    return this.soon !== undefined;
  }

  /** How far it has been moved, in milliseconds. */
  get moved(): number {
    return this.elapsed;
  }

  /**
   * Moves on to where the next timers are due, at most to `until` (as `moved`), and runs these. Says whether it got there. Repeated
   * timers may run late by `slackMs`: what a module does by and by need not be done thousands of times.
   */
  step(until: number, slackMs: number): boolean {
    this.elapsed = Math.min(until, Math.max(this.nextDue(slackMs), this.elapsed));
    this.fire();
    return this.elapsed >= until;
  }

  /** Time passes by itself from now on. */
  goOn(): void {
    this.since ??= performance.now();
    this.plan();
  }

  /** Nothing runs any more. */
  stop(): void {
    this.waiting.clear();
    this.plan();
  }

  private get passed(): number {
    return this.since === undefined ? this.elapsed : this.elapsed + performance.now() - this.since;
  }

  private add(entry: Waiting): Timer {
    this.waiting.add(entry);
    this.plan();
    return {
      cancel: () => {
        this.waiting.delete(entry);
      },
    };
  }

  private nextDue(slackMs = 0): number {
    let next = Infinity;
    for (const { due, every } of this.waiting) next = Math.min(next, every === undefined ? due : due + slackMs);
    return next;
  }

  /** Runs what is due. A repeated timer runs once, however late it is. */
  private fire(): void {
    const { passed } = this;
    const due = [...this.waiting].filter((entry) => entry.due <= passed).sort((a, b) => a.due - b.due);
    if (due.length > 0) this.onFire();
    for (const entry of due) {
      // One that ran before it may have cancelled it.
      if (!this.waiting.has(entry)) continue;
      if (entry.every === undefined) this.waiting.delete(entry);
      else while (entry.due <= passed) entry.due += entry.every;
      entry.task();
    }
  }

  private plan(): void {
    if (this.since !== undefined) this.planReal();
    else if (this.soon === undefined && this.nextDue() <= this.elapsed) this.soon = setImmediate(this.fireSoon);
  }

  private readonly fireSoon = (): void => {
    this.soon = undefined;
    this.fire();
    this.plan();
  };

  private planReal(): void {
    clearTimeout(this.real);
    const next = this.nextDue();
    if (next === Infinity) return;
    this.real = setTimeout(this.fireSoon, Math.max(0, next - this.passed));
    this.real.unref();
  }
}
