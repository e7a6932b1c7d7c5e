/** So long without a beat of any engine, and the store was away for all of them; milliseconds. */
export const OUTAGE_MS = 5_000;
/** How long engines have to come back after it before one of them judges what another one holds; milliseconds. */
const RETURN_MS = 10_000;

/**
 * Whether an engine may say that another one's lease is over, or that it is gone. After a time in which the store was away for all, nobody could renew
 * anything: the first one that is back would take the others, who are well, for gone.
 */
export class OutageGrace {
  private beatAt = -Infinity;
  private until = -Infinity;

  /** @param monotonic default: by the process; whether a server answers shows in real time, whatever the engine's clock says */
  constructor(private readonly monotonic: () => number = () => performance.now()) {}

  /** This engine has had no beat for so long that there may have been none of others either; also before its first one. */
  get apart(): boolean {
    return this.monotonic() - this.beatAt >= OUTAGE_MS;
  }

  /** As `apart`, of an engine that was there before. */
  get returned(): boolean {
    return this.beatAt > -Infinity && this.apart;
  }

  /** A beat went through. `backAt`: since when the store is back; by the store's time, in milliseconds, undefined where there is nothing new. */
  beat(backAt?: number): void {
    this.beatAt = this.monotonic();
    if (backAt !== undefined) this.until = backAt + RETURN_MS;
  }

  /** `now`: the store's time. One that was put back since ends the grace. */
  judges(now: number): boolean {
    return !this.apart && (now >= this.until || this.until - now > RETURN_MS);
  }
}
