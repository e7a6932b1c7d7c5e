/** How long to wait before the next try. */
export interface ReconnectOptions {
  /** Upper bound of the first pause, in milliseconds. Default 500. */
  readonly minDelayMs?: number | undefined;
  /** Upper bound of all pauses, in milliseconds. Default 15,000. */
  readonly maxDelayMs?: number | undefined;
  /** Gives numbers from 0 to 1. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** Pauses that double, each with half of it left to chance, so that the clients of a server that comes back do not come all at once. */
export class ReconnectDelay {
  private tries = 0;

  constructor(private readonly options: ReconnectOptions) {}

  /** Milliseconds. */
  next(): number {
    const { minDelayMs = 500, maxDelayMs = 15_000, random = Math.random } = this.options;
    const bound = Math.min(maxDelayMs, minDelayMs * 2 ** this.tries);
    this.tries = Math.min(this.tries + 1, 30);
    return bound * (0.5 + random() / 2);
  }

  /** It worked: the next pause is short again. */
  reset(): void {
    this.tries = 0;
  }
}
