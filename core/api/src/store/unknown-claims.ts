import type { ClaimMark } from './claim-mark.js';

/** Calls in a row that are kept. While a store is away more fail, but those were never sent. */
const MOST = 100;

/** Calls of `claimMany` of which it is not known whether they have claimed anything: their answers were lost with the connection. */
export class UnknownClaims {
  private readonly calls = new Map<ClaimMark, readonly number[]>();
  private inARow = 0;

  /** @param subs numbers of the subscriptions that the call was for */
  add(mark: ClaimMark, subs: readonly number[]): void {
    this.inARow += 1;
    if (this.inARow <= MOST) this.calls.set(mark, subs);
  }

  /** A call was answered: the store is there, and the next one that fails may have been sent, whether or not former ones are freed by then. */
  answered(): void {
    this.inARow = 0;
  }

  /** Frees what each of them has claimed, for nobody works on it; one that fails is tried again the next time. */
  async free(release: (mark: ClaimMark, subs: readonly number[]) => Promise<void>): Promise<void> {
    for (const [mark, subs] of this.calls) {
      await release(mark, subs);
      this.calls.delete(mark);
    }
  }
}
