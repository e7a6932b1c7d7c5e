/** Runs tasks one after the other, in the order in which they were asked for; the first at once. */
export class TaskLane {
  private tail: Promise<unknown> | undefined;

  /** Nothing is under way. */
  get idle(): boolean {
    return this.tail === undefined;
  }

  /** Gives what the task gives. A task that fails does not hold up the next one. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.tail === undefined ? task() : this.tail.then(task, task);
    const settled = result.catch(() => undefined).then(() => {
      if (this.tail === settled) this.tail = undefined;
    });
    this.tail = settled;
    return result;
  }
}

interface Waiting<I, O> {
  readonly items: readonly I[];
  readonly resolve: (outputs: readonly O[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does many things at once: what comes while one batch is under way makes the next. Batches go through a lane, so
 * their order is that of the calls.
 */
export class Batcher<I, O> {
  private waiting: Waiting<I, O>[] = [];

  /** @param most items of a batch, unless one call has more */
  constructor(private readonly lane: TaskLane, private readonly most: number, private readonly work: (items: readonly I[]) => Promise<readonly O[]>) {}

  /** Gives an output for each item, in order. Rejects when the batch that they were in fails. */
  add(items: readonly I[]): Promise<readonly O[]> {
    if (items.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.waiting.push({ items, resolve, reject });
      if (this.waiting.length === 1) void this.lane.run(() => this.flush());
    });
  }

  private async flush(): Promise<void> {
    const batch = this.take();
    if (this.waiting.length > 0) void this.lane.run(() => this.flush());
    try {
      const outputs = await this.work(batch.flatMap(({ items }) => items));
      let at = 0;
      for (const { items, resolve } of batch) resolve(outputs.slice(at, at += items.length));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  private take(): readonly Waiting<I, O>[] {
    let count = 0;
    let length = 0;
    for (const { items } of this.waiting) {
      if (count > 0 && length + items.length > this.most) break;
      length += items.length;
      count += 1;
    }
    const rest = this.waiting;
    this.waiting = rest.slice(count);
    return rest.slice(0, count);
  }
}
