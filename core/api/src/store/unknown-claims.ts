import type { ClaimMark } from './claim-mark.js';

/** Calls that are kept. While a store is away more fail, but those were never sent. */
const MOST = 100;

/** Calls of `claimMany` of which it is not known whether they have claimed anything: their answers were lost with the connection. */
export class UnknownClaims {
  private readonly calls = new Map<ClaimMark, readonly number[]>();

  /** @param subs numbers of the subscriptions that the call was for */
  add(mark: ClaimMark, subs: readonly number[]): void {
    if (this.calls.size < MOST) this.calls.set(mark, subs);
  }

  /** Frees what each of them has claimed, for nobody works on it; one that fails is tried again the next time. */
  async free(release: (mark: ClaimMark, subs: readonly number[]) => Promise<void>): Promise<void> {
    for (const [mark, subs] of this.calls) {
      await release(mark, subs);
      this.calls.delete(mark);
    }
  }
}
