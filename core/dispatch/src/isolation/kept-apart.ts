import type { Clock, StepId, Timer } from '@treadle/api';

/** How long a Step that has harmed its process is kept apart from the others; milliseconds. */
export const APART_MS = 600_000;

/** Steps that have held up or ended their process: for a while they get one that the others avoid, where there is more than one. */
export class KeptApart {
  private readonly steps = new Map<StepId, Timer>();

  /** `onEmpty`: nobody is kept apart any more. */
  constructor(private readonly clock: Clock, private readonly onEmpty: () => void) {}

  has(step: StepId): boolean {
    return this.steps.size > 0 && this.steps.has(step);
  }

  /** From now on for its time. True when it was not kept apart before. */
  add(step: StepId): boolean {
    const before = this.steps.get(step);
    before?.cancel();
    this.steps.set(step, this.clock.after(APART_MS, () => this.end(step)));
    return before === undefined;
  }

  close(): void {
    for (const timer of this.steps.values()) timer.cancel();
    this.steps.clear();
  }

  private end(step: StepId): void {
    this.steps.delete(step);
    if (this.steps.size === 0) this.onEmpty();
  }
}
