/** Lets the work on one key happen one after the other, in the order of the calls; other keys do not wait. */
export class KeyLock {
  private readonly tails = new Map<string, Promise<void>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key);
    const mine = before ? before.then(work) : work();
    const tail = mine.then(() => undefined, () => undefined).then(() => {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    });
    this.tails.set(key, tail);
    return mine;
  }

  /** Resolves when the work that waits now is done. */
  async idle(): Promise<void> {
    await Promise.all(this.tails.values());
  }
}
