import type { Clock } from './clock.js';
import { OperationError } from './dispatch/operations.js';

/** Told of each operation that has ended. `ms`: how long it took. */
export type OperationObserver<Verb extends string> = (verb: Verb, outcome: { readonly ms: number; readonly error?: OperationError }) => void;

/** Runs the operations of a port: none before it is open or after it is closed, and whatever fails does so with an `OperationError`. */
export class OperationRunner<Verb extends string> {
  /** Where telemetry attaches. */
  observer: OperationObserver<Verb> | undefined;
  private clock: Clock | undefined;
  private closed = false;

  /** `block`: how the names of the operations begin, e.g. `state`. `unavailable`: code of failures that the caller did not cause. */
  constructor(private readonly block: string, private readonly unavailable: string) {}

  /** Serves from now on. */
  open(clock: Clock): void {
    this.clock = clock;
  }

  /** Serves no more; what has begun goes on. */
  close(): void {
    this.closed = true;
  }

  /** @throws OperationError of the work, or `unavailable` for anything else that it throws */
  async run<T>(verb: Verb, work: (clock: Clock) => Promise<T> | T): Promise<T> {
    const { clock, observer, closed } = this;
    if (!clock || closed) throw new OperationError(this.unavailable, `${this.block}.${verb} was refused: the ${this.block} module has ${closed ? 'stopped' : 'not started'}`);
    const began = observer ? clock.monotonic() : 0;
    try {
      const result = await work(clock);
      observer?.(verb, { ms: clock.monotonic() - began });
      return result;
    } catch (cause) {
      const error = cause instanceof OperationError ? cause : this.failed(verb, cause);
      observer?.(verb, { ms: clock.monotonic() - began, error });
      throw error;
    }
  }

  private failed(verb: Verb, cause: unknown): OperationError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new OperationError(this.unavailable, `${this.block}.${verb} failed, and whether it took place is not known: ${reason}`, cause);
  }
}
