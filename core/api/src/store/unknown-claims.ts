import type { ClaimMark } from './claim-mark.js';

/** Calls in a row that are kept. While a store is away more fail, but those were never sent. */
const MOST = 100;

interface Call {
  readonly subs: readonly number[];
  readonly until: number;
}

/** Calls of `claimMany` of which it is not known whether they have claimed anything: their answers were lost with the connection. */
export class UnknownClaims {
  private readonly calls = new Map<ClaimMark, Call>();
  private inARow = 0;

  /**
   * @param subs numbers of the subscriptions that the call was for
   * @param until when the lease ends that it asked for, by the store's time. The store may carry it out until then, though its connection is lost. Default: it
   * does not do so later
   */
  add(mark: ClaimMark, subs: readonly number[], until = 0): void {
    this.inARow += 1;
    if (this.inARow <= MOST) this.calls.set(mark, { subs, until });
  }

  /** A call was answered: the store is there, and the next one that fails may have been sent, whether or not former ones are freed by then. */
  answered(): void {
    this.inARow = 0;
  }

  /** Frees what each of them has claimed, for nobody works on it; one that fails, or may still claim something, is tried again the next time. @param now the store's time */
  async free(release: (mark: ClaimMark, subs: readonly number[]) => Promise<void>, now = 0): Promise<void> {
    for (const [mark, { subs, until }] of this.calls) {
      await release(mark, subs);
      if (until <= now) this.calls.delete(mark);
    }
  }
}
