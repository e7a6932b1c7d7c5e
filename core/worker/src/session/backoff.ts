const FIRST_MS = 100;
const LONGEST_MS = 30_000;

/** Growing pauses between attempts: 100 ms, doubled each time up to 30 s, half of each at random. */
export class Backoff {
  readonly #random: () => number;
  #attempt = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** The next pause in milliseconds. */
  next(): number {
    const full = Math.min(FIRST_MS * 2 ** this.#attempt, LONGEST_MS);
    this.#attempt++;
    return Math.round(full / 2 + (full / 2) * this.#random());
  }

  reset(): void {
    this.#attempt = 0;
  }
}
