import type { Caller } from '../runner-host.js';
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
   * Cancels the run of an invocation. An id may come again after a new connection, but the run that had it before was cancelled
   * with the old one.
   */
  cancel(reason: string, id: number): void {
    this.#cancel(reason, (run) => run.invoke.id === id);
  }

  /** Cancels those of one session, or all. */
  cancelAll(reason: string, of?: Caller): void {
    this.#cancel(reason, (run) => of === undefined || run.isFor(of));
  }

  #cancel(reason: string, fits: (run: Run) => boolean): void {
    // A copy: a run that ends by it leaves the list.
    for (const run of [...this.#runs]) if (fits(run)) run.cancel(reason);
  }
}
