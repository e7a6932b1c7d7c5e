/** Bodies that are decoded at the same time, in all requests together: each decoder may hold a window of some megabytes. */
const MAX_AT_ONCE = 8;

/** Lets bodies be decoded a few at a time, in the order in which they came. */
export class DecodingTurns {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  /** Calls `begin` now, or when there is room. Returns what ends the turn, or gives up the place; to be called once. */
  enter(begin: () => void): () => void {
    let started = false;
    const go = (): void => {
      started = true;
      this.running++;
      begin();
    };
    if (this.running < MAX_AT_ONCE) go();
    else this.waiting.add(go);
    return () => {
      if (started) this.leave();
      else this.waiting.delete(go);
    };
  }

  private leave(): void {
    this.running--;
    for (const next of this.waiting) {
      this.waiting.delete(next);
      next();
      return;
    }
  }
}
