/** How severe a log record is, the least first. */
type Level = 'debug' | 'info' | 'warn' | 'error';

export interface LogValveOptions {
  /** Bytes that may wait for whoever reads the log. */
  readonly limit: number;
  /** Bytes that wait now. */
  readonly waiting: () => number;
}

/**
 * Bounds what a log may pile up when nobody reads it: drops records, counts them and never reorders any. Once closed it opens when half of
 * what may wait was read. Warnings and errors pass until twice as much waits.
 */
export class LogValve {
  /** Records dropped so far. */
  dropped = 0;
  readonly #limit: number;
  readonly #waiting: () => number;
  #closed = false;
  #told = 0;

  constructor({ limit, waiting }: LogValveOptions) {
    this.#limit = limit;
    this.#waiting = waiting;
  }

  /** False: the record is dropped, and counted. */
  admits(level: Level): boolean {
    const waiting = this.#waiting();
    if (waiting <= (this.#closed ? this.#limit / 2 : this.#limit)) {
      this.#closed = false;
      return true;
    }
    this.#closed = true;
    if ((level === 'warn' || level === 'error') && waiting <= 2 * this.#limit) return true;
    this.dropped++;
    return false;
  }

  /** How many records were dropped that nobody was told of yet; 0 while the log does not flow. From now on they count as told. */
  untold(): number {
    const count = this.dropped - this.#told;
    if (count === 0 || this.#waiting() > this.#limit / 2) return 0;
    this.#told = this.dropped;
    return count;
  }
}
