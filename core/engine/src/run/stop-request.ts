import type { TreadleError } from '@treadle/api';

/** Why the engine stops and what the process answers with. */
export interface StopCause {
  readonly exitCode: number;
  /** Set by a signal. */
  readonly signal?: NodeJS.Signals;
  /** Set by whoever runs the engine, e.g. to run it anew. */
  readonly reason?: string;
  /** Set by a module's `fatal` or by an error that nobody caught; the stop is then short. */
  readonly error?: TreadleError;
}

/** The one wish to stop of a run; the first cause counts, but a signal is a person's wish and takes the place of a mere reason. */
export class StopRequest {
  private readonly impatience = new AbortController();
  private settle: (cause: StopCause) => void = () => undefined;
  private hurry: () => void = () => undefined;
  private leaving: number | undefined;
  private first: StopCause | undefined;

  /** Settles with the first cause. */
  readonly requested = new Promise<StopCause>((resolve) => { this.settle = resolve; });
  /** Settles at the second signal. */
  readonly hurried = new Promise<void>((resolve) => { this.hurry = resolve; });

  /** The cause that counts; undefined while the engine is to run. */
  get cause(): StopCause | undefined {
    return this.first;
  }

  /** 128 + n once the second signal n has come. */
  get exitAtOnce(): number | undefined {
    return this.leaving;
  }

  /** Aborted when nothing is to be waited for any more. */
  get signal(): AbortSignal {
    return this.impatience.signal;
  }

  /** Asks for a stop. A cause with an error also ends all waiting. Later causes change nothing, but see above. */
  ask(cause: StopCause): void {
    if (this.first) {
      if (cause.signal && this.first.reason !== undefined) this.first = cause;
      return;
    }
    this.first = cause;
    if (cause.error) this.impatience.abort();
    this.settle(cause);
  }

  /** The second signal: leave at once. */
  leave(exitCode: number): void {
    this.leaving ??= exitCode;
    this.impatience.abort();
    this.hurry();
  }
}
