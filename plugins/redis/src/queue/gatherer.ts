interface Waiting<I, O> {
  readonly items: readonly I[];
  readonly weight: number;
  readonly resolve: (outputs: readonly O[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Limits<I> {
  /** How many may be under way. */
  readonly atOnce: number;
  /** Of what one takes, unless one call has more. */
  readonly weight: number;
  weightOf(item: I): number;
}

/** Does many things at once: what is asked for in a turn goes together, and what comes while enough is under way makes the next. In the order of the calls. */
export class Gatherer<I, O> {
  private waiting: Waiting<I, O>[] = [];
  private underWay = 0;
  private scheduled = false;

  constructor(private readonly limits: Limits<I>, private readonly work: (items: readonly I[]) => Promise<readonly O[]>) {}

  /** Gives an output for each item, in order. Rejects when the work that they were in fails. */
  add(items: readonly I[]): Promise<readonly O[]> {
    if (items.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const weight = items.reduce((sum, item) => sum + this.limits.weightOf(item), 0);
      this.waiting.push({ items, weight, resolve, reject });
      if (this.scheduled) return;
      this.scheduled = true;
      queueMicrotask(() => {
        this.scheduled = false;
        this.flush();
      });
    });
  }

  private flush(): void {
    while (this.waiting.length > 0 && this.underWay < this.limits.atOnce) void this.run(this.take());
  }

  private async run(batch: readonly Waiting<I, O>[]): Promise<void> {
    this.underWay += 1;
    try {
      const outputs = await this.work(batch.flatMap(({ items }) => items));
      let at = 0;
      for (const { items, resolve } of batch) resolve(outputs.slice(at, at += items.length));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.underWay -= 1;
      this.flush();
    }
  }

  private take(): readonly Waiting<I, O>[] {
    let count = 0;
    let weight = 0;
    for (const one of this.waiting) {
      if (count > 0 && weight + one.weight > this.limits.weight) break;
      weight += one.weight;
      count += 1;
    }
    const taken = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    return taken;
  }
}
