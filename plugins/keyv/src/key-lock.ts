/** Lets the work on one key happen one after the other, in the order of the calls; other keys do not wait. */
export class KeyLock {
  private readonly tails = new Map<string, Promise<void>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key);
    const mine = before ? before.then(work) : work();
    this.hold(key, mine);
    return mine;
  }

  /** Lets work begin on those of the keys that nothing is under way on. */
  runFree<T>(keys: readonly string[], work: (free: readonly string[]) => Promise<T>): Promise<T> {
    const free = keys.filter((key) => !this.tails.has(key));
    const mine = Promise.resolve().then(() => work(free));
    for (const key of free) this.hold(key, mine);
    return mine;
  }

  /** Resolves when the work that waits now is done. */
  async idle(): Promise<void> {
    await Promise.all(this.tails.values());
  }

  private hold(key: string, mine: Promise<unknown>): void {
    const tail = mine.then(() => undefined, () => undefined).then(() => {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    });
    this.tails.set(key, tail);
  }
}
