import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock, Timer } from '@treadle/api';

/** Someone who wants to run and may have to wait for it. */
export interface Admitted {
  /** Its turn has come; it holds a place until `leave`. */
  run(): void;
  /** No place became free in time. */
  refuseOverloaded(): void;
}

/** What a reload may change. */
export interface AdmissionLimits {
  /** Most that run at the same time. */
  readonly limit: number;
  /** Most that wait. */
  readonly waiting: number;
  /** Longest wait, in milliseconds. */
  readonly waitMs: number;
  /** Event-loop delay, p99 of a window, above which requests are shed; in milliseconds. */
  readonly maxDelayMs: number;
}

export interface AdmissionOptions extends AdmissionLimits {
  readonly clock: Clock;
}

const WINDOW_MS = 500;
const NANOSECONDS = 1e6;
/** Windows in a row that make it overload: one is a hiccup, such as a collection of garbage. */
const SLOW_WINDOWS = 2;
/** Some requests pass even in the worst case: without any, a recovery could not be told from silence. */
const MAX_SHED = 0.97;
const MIN_SHED = 0.1;

interface Waiter {
  readonly who: Admitted;
  readonly until: number;
}

/**
 * Bounds what runs at the same time, and sheds a share of all requests while the event loop is slow: half of them at
 * first, more with every slow window. Refusing everything would only swing between idle and overload.
 */
export class Admission {
  /** Running now. */
  running = 0;
  private shed = 0;
  private debt = 0;
  private slowWindows = 0;
  private readonly queue: Waiter[] = [];
  private histogram: IntervalHistogram | undefined;
  private window: Timer | undefined;
  private expiry: Timer | undefined;

  constructor(private options: AdmissionOptions) {}

  /** Goes over to other limits: what runs goes on, those who wait get the places that are there now. */
  setLimits(limits: AdmissionLimits): void {
    this.options = { ...limits, clock: this.options.clock };
    this.admitWaiting();
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

  /** Asked once for each new request: true when it is to be refused, before its body is read. */
  refuses(): boolean {
    const { limit, waiting } = this.options;
    if (this.running >= limit && this.queue.length >= waiting) return true;
    if (this.shed === 0) return false;
    this.debt += this.shed;
    if (this.debt < 1) return false;
    this.debt -= 1;
    return true;
  }

  /** Runs `who` now or later, or refuses it. */
  enter(who: Admitted): void {
    if (this.running < this.options.limit) {
      this.running++;
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
    if (delayMs > this.options.maxDelayMs) {
      if (++this.slowWindows >= SLOW_WINDOWS) this.shed = Math.min(MAX_SHED, (1 + this.shed) / 2);
    } else {
      this.slowWindows = 0;
      this.shed = this.shed < MIN_SHED ? 0 : this.shed / 4;
    }
  }

  private judgeWindow(): void {
    const { histogram } = this;
    if (!histogram) return;
    const delay = histogram.count === 0 ? 0 : histogram.percentile(99) / NANOSECONDS;
    histogram.reset();
    this.judge(delay);
  }

  private admitWaiting(): void {
    while (this.running < this.options.limit) {
      const next = this.queue.shift();
      if (!next) return;
      this.running++;
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
