export interface LoopWatchOptions {
  /** Ticks that the watched thread has made so far. */
  readonly ticks: () => number;
  /** Milliseconds. */
  readonly now: () => number;
  /** Milliseconds between two ticks of a thread that is well. */
  readonly tickMs: number;
}

/**
 * Looks in a row that find no tick, after which a thread's event loop stands still. Counted rather than timed: on a machine that is
 * busy both threads are late, and the loop is not to blame.
 */
const HELD_LOOKS = 5;

/** Tells from a thread's ticks how long its event loop was late, and whether it stands still. */
export class LoopWatch {
  readonly #options: LoopWatchOptions;
  #seen: number;
  #seenAt: number;
  #worst = 0;
  #looks = 0;

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
    this.#looks++;
    if (ticks === this.#seen) return;
    this.#looks = 0;
    this.#seen = ticks;
    this.#seenAt = now;
  }

  /** True once each time that the loop stands still: about 0.5 s after its last tick. To be asked after each `sample`. */
  get isHeld(): boolean {
    return this.#looks === HELD_LOOKS;
  }

  /** Longest delay since the last call, in whole milliseconds. */
  take(): number {
    const late = this.#options.now() - this.#seenAt - 2 * this.#options.tickMs;
    const worst = Math.max(0, Math.round(Math.max(late, this.#worst)));
    this.#worst = 0;
    return worst;
  }
}
