import type { Catalog, Clock, Invoker, Timer, Unsubscribe } from '@treadle/api';
import type { StreamConfig } from '../stream.config.js';

/** How often a question is asked again though nothing seems to have changed; milliseconds. */
const AGAIN_MS = 1_000;

export interface PatienceParts {
  readonly catalog: Catalog;
  readonly invoker: Invoker;
  /** A reload may change how long a client waits at most. */
  readonly config: Pick<StreamConfig, 'join_wait_ms'>;
}

/**
 * Lets clients wait for Steps that are about to come, after a start or while a worker is away. Clients of the family take
 * whatever they are refused with as final, so a question that nobody can answer yet is asked again.
 */
export class Patience {
  private readonly waiting = new Set<() => void>();
  private bound: readonly Unsubscribe[] = [];
  private closed = false;

  constructor(private readonly parts: PatienceParts, private readonly clock: Clock) {}

  /** Follows the catalog, and who serves it, from now on. */
  open(): void {
    const { catalog, invoker } = this.parts;
    const wake = (): void => this.wake();
    this.bound = [catalog.onChange(wake), invoker.onServing(wake), catalog.onSettled(wake)];
  }

  /** Nobody waits any more. */
  close(): void {
    this.closed = true;
    for (const unbind of this.bound) unbind();
    this.wake();
  }

  /** Asks until the answer is final, the asker is gone or the time is over; the last answer. */
  async ask<T>(question: () => Promise<T>, isFinal: (answer: T) => boolean, isGone: () => boolean): Promise<T> {
    const end = this.clock.monotonic() + this.parts.config.join_wait_ms;
    for (;;) {
      const answer = await question();
      const left = end - this.clock.monotonic();
      if (isFinal(answer) || isGone() || this.closed || left <= 0) return answer;
      await this.change(Math.min(left, AGAIN_MS));
    }
  }

  private change(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        this.waiting.delete(done);
        resolve();
      };
      const timer: Timer = this.clock.after(ms, done);
      this.waiting.add(done);
    });
  }

  private wake(): void {
    for (const done of [...this.waiting]) done();
  }
}
