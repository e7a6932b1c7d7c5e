import type { Run } from './run.js';

/** Runs that are under way. An array, for a map that every run enters and leaves takes a third of the runner's time. */
export class RunList {
  readonly #runs: Run[] = [];

  get size(): number {
    return this.#runs.length;
  }

  add(run: Run): void {
    run.place = this.#runs.push(run) - 1;
  }

  /** `run` must be in the list. */
  remove(run: Run): void {
    const last = this.#runs.pop() as Run;
    if (last === run) return;
    this.#runs[run.place] = last;
    last.place = run.place;
  }

  /**
   * Cancels the run of an invocation, or all. An id may come again after a new connection, but the run that had it before
   * was cancelled with the old one.
   */
  cancel(reason: string, id?: number): void {
    // A copy: a run that ends by it leaves the list.
    for (const run of [...this.#runs]) if (id === undefined || run.invoke.id === id) run.cancel(reason);
  }
}
