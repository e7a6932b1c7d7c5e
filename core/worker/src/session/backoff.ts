const FIRST_MS = 100;
/** An engine that is not there may be back any moment, and nobody minds being asked; one that refuses has said what it wants. */
const LONGEST_MS = { absent: 2_000, refused: 30_000 } as const;

/** Growing pauses between attempts: 100 ms, doubled each time up to 2 s or, after a refusal, 30 s, half of each at random. */
export class Backoff {
  readonly #random: () => number;
  #attempt = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** The next pause in milliseconds. `absent`: the engine could not be reached; `refused`: it did not want this worker. */
  next(because: keyof typeof LONGEST_MS): number {
    const full = Math.min(FIRST_MS * 2 ** this.#attempt, LONGEST_MS[because]);
    this.#attempt++;
    return Math.round(full / 2 + (full / 2) * this.#random());
  }

  reset(): void {
    this.#attempt = 0;
  }
}
