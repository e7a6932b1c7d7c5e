import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock, Timer } from '@treadle/api';

/** Someone who wants to run and may have to wait for it. */
export interface Admitted {
  /** Its turn has come; it holds a place until `leave`. */
  run(): void;
  /** No place became free in time. */
  refuseOverloaded(): void;
}

export interface AdmissionOptions {
  readonly clock: Clock;
  /** Most that run at the same time. */
  readonly limit: number;
  /** Most that wait. */
  readonly waiting: number;
  /** Longest wait, in milliseconds. */
  readonly waitMs: number;
  /** Event-loop delay, p99 of a window, from which the limit is lowered; in milliseconds. */
  readonly maxDelayMs: number;
}

const WINDOW_MS = 500;
const NANOSECONDS = 1e6;

interface Waiter {
  readonly who: Admitted;
  readonly until: number;
}

/**
 * Bounds what runs at the same time. A slow event loop in two windows one after the other halves the limit, a good
 * window doubles it again: refusing everything would only swing between idle and overload.
 */
export class Admission {
  /** Running now. */
  running = 0;
  private limit: number;
  private peak = 0;
  private slowWindows = 0;
  private readonly queue: Waiter[] = [];
  private histogram: IntervalHistogram | undefined;
  private window: Timer | undefined;
  private expiry: Timer | undefined;

  constructor(private readonly options: AdmissionOptions) {
    this.limit = options.limit;
  }

  /** Begins to watch the event loop. */
  start(): void {
    this.histogram = monitorEventLoopDelay({ resolution: 20 });
    this.histogram.enable();
    this.window = this.options.clock.every(WINDOW_MS, () => this.judgeWindow());
  }

  stop(): void {
    this.histogram?.disable();
    this.window?.cancel();
    this.expiry?.cancel();
    this.queue.length = 0;
  }

  /** True when a new request could neither run nor wait: it can be refused before its body is read. */
  get full(): boolean {
    return this.running >= this.limit && this.queue.length >= this.options.waiting;
  }

  /** Runs `who` now or later, or refuses it. */
  enter(who: Admitted): void {
    if (this.running < this.limit) {
      if (++this.running > this.peak) this.peak = this.running;
      who.run();
    } else if (this.queue.length < this.options.waiting && this.options.waitMs > 0) {
      this.queue.push({ who, until: this.options.clock.monotonic() + this.options.waitMs });
      this.expiry ??= this.options.clock.after(this.options.waitMs, () => this.expire());
    } else {
      who.refuseOverloaded();
    }
  }

  /** Gives a place back. */
  leave(): void {
    this.running--;
    if (this.queue.length > 0) this.admitWaiting();
  }

  /** Stops waiting; true when it did wait. */
  forget(who: Admitted): boolean {
    const index = this.queue.findIndex((waiter) => waiter.who === who);
    if (index >= 0) this.queue.splice(index, 1);
    return index >= 0;
  }

  /** Takes the p99 delay of a window into account; called by the window's timer. */
  judge(delayMs: number): void {
    const { limit: most, maxDelayMs } = this.options;
    if (delayMs <= maxDelayMs) {
      this.slowWindows = 0;
      this.limit = Math.min(most, this.limit * 2);
      this.admitWaiting();
    } else if (++this.slowWindows >= 2) {
      this.limit = Math.max(1, Math.floor(Math.min(this.limit, this.peak) / 2));
    }
    this.peak = this.running;
  }

  private judgeWindow(): void {
    const { histogram } = this;
    if (!histogram) return;
    const delay = histogram.count === 0 ? 0 : histogram.percentile(99) / NANOSECONDS;
    histogram.reset();
    this.judge(delay);
  }

  private admitWaiting(): void {
    while (this.running < this.limit) {
      const next = this.queue.shift();
      if (!next) return;
      if (++this.running > this.peak) this.peak = this.running;
      next.who.run();
    }
  }

  private expire(): void {
    this.expiry = undefined;
    const now = this.options.clock.monotonic();
    while (this.queue[0] && this.queue[0].until <= now) this.queue.shift()?.who.refuseOverloaded();
    const next = this.queue[0];
    if (next) this.expiry = this.options.clock.after(Math.max(1, next.until - now), () => this.expire());
  }
}
