export interface LoopWatchOptions {
  /** Ticks that the watched thread has made so far. */
  readonly ticks: () => number;
  /** Milliseconds. */
  readonly now: () => number;
  /** Milliseconds between two ticks of a thread that is well. */
  readonly tickMs: number;
}

/** Tells from a thread's ticks how long its event loop was late. */
export class LoopWatch {
  readonly #options: LoopWatchOptions;
  #seen: number;
  #seenAt: number;
  #worst = 0;

  constructor(options: LoopWatchOptions) {
    this.#options = options;
    this.#seen = options.ticks();
    this.#seenAt = options.now();
  }

  /** To be called about once per tick. */
  sample(): void {
    const now = this.#options.now();
    const ticks = this.#options.ticks();
    const late = now - this.#seenAt - 2 * this.#options.tickMs;
    this.#worst = Math.max(this.#worst, late);
    if (ticks === this.#seen) return;
    this.#seen = ticks;
    this.#seenAt = now;
  }

  /** Longest delay since the last call, in whole milliseconds. */
  take(): number {
    this.sample();
    const worst = Math.max(0, Math.round(this.#worst));
    this.#worst = 0;
    return worst;
  }
}
