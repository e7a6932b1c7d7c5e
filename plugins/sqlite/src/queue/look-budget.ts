/** Portions without anything to claim that are read in one turn of the loop, by all lanes together: they take some milliseconds. */
const MOST_IN_VAIN = 4;

/** Bounds how long claims look for something to claim in one turn of the loop. Who has not come to an end goes on in the next one. */
export class LookBudget<T> {
  private inVain = 0;
  private readonly waiting = new Set<T>();
  private next: NodeJS.Immediate | undefined;
  private stopped = false;

  /** `goOn`: told, in the next turn, of those that were not allowed to look on. */
  constructor(private readonly goOn: (waiting: readonly T[]) => void) {}

  /** Whether another portion may be read now. */
  allows(who: T): boolean {
    if (this.inVain < MOST_IN_VAIN) return true;
    this.waiting.add(who);
    return false;
  }

  /** A portion had nothing to claim. */
  spend(): void {
    this.inVain += 1;
    if (!this.stopped) this.next ??= setImmediate(() => this.renew());
  }

  stop(): void {
    this.stopped = true;
    clearImmediate(this.next);
  }

  private renew(): void {
    this.next = undefined;
    this.inVain = 0;
    const waiting = [...this.waiting];
    this.waiting.clear();
    if (waiting.length > 0) this.goOn(waiting);
  }
}
