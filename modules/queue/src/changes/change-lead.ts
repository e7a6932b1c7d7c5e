import type { Clock, SharedChanges, Timer, Unsubscribe } from '@treadle/api';

/** How long an engine takes a source's changes without asking again, by the store's time. */
export const LEASE_MS = 5_000;
/** After this much of its lease it asks again. */
const ASK_AGAIN_MS = LEASE_MS / 3;

/** What is told of the others' doing. */
export interface LeadEvents {
  /** There may be changes, or nobody else takes them any more. */
  readonly wake: () => void;
  /** Another engine may have taken changes since the last time: what is remembered of them need not be true. */
  readonly lost: () => void;
}

/**
 * Whether this engine is the one that takes a source's changes to their Steps. Where no other engine has the store it always is. Of several one is;
 * the others look after each lease whether it still is there.
 */
export class ChangeLead {
  /** When the lease was asked for that this engine has; of the monotonic clock. The store grants it no earlier. */
  private asked = -Infinity;
  private aside = false;
  private readonly looking: Timer | undefined;
  private readonly unlisten: Unsubscribe | undefined;

  constructor(private readonly shared: SharedChanges | undefined, private readonly clock: Clock, private readonly events: LeadEvents) {
    this.unlisten = shared?.onChanges(events.wake);
    this.looking = shared && clock.every(LEASE_MS, () => {
      this.aside = false;
      events.wake();
    });
  }

  /** Another engine is known to take the changes. */
  get standsAside(): boolean {
    return this.aside;
  }

  /** Nobody else has taken changes up to now. */
  get holds(): boolean {
    return this.shared === undefined || this.heldMs < LEASE_MS;
  }

  /** To be asked before changes are read. */
  async take(): Promise<boolean> {
    if (this.shared === undefined || this.heldMs < ASK_AGAIN_MS) return true;
    const asking = this.clock.monotonic();
    const leads = await this.shared.lead(LEASE_MS);
    if (!leads || !this.holds) this.events.lost();
    this.asked = leads ? asking : -Infinity;
    this.aside = !leads;
    return leads;
  }

  close(): void {
    this.looking?.cancel();
    this.unlisten?.();
  }

  private get heldMs(): number {
    return this.clock.monotonic() - this.asked;
  }
}
