import type { DeliveryRun } from './delivery-run.js';

/** Runs under way: an array, because every delivery enters and leaves, and a map or set costs several times as much. */
export class RunList {
  private readonly runs: DeliveryRun[] = [];

  get size(): number {
    return this.runs.length;
  }

  add(run: DeliveryRun): void {
    run.place = this.runs.push(run) - 1;
  }

  /** `run` must be in the list. */
  remove(run: DeliveryRun): void {
    const last = this.runs.pop() as DeliveryRun;
    if (last === run) return;
    this.runs[run.place] = last;
    last.place = run.place;
  }

  /** A copy, so that the list may change meanwhile. */
  all(): readonly DeliveryRun[] {
    return [...this.runs];
  }
}
