/** What is asked of a store at once, at most: what waits here does not look like a store that is slow to answer. */
const MOST = 50;

/** Lets some of many tasks go on at once, in the order in which they came. */
export class Turns {
  private going = 0;
  private readonly waiting: (() => void)[] = [];

  /** Rejects when the task does. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.going >= MOST) await new Promise<void>((resolve) => void this.waiting.push(resolve));
    else this.going += 1;
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.going -= 1;
    }
  }
}
