import type { PendingCall } from './pending-call.js';
import type { SessionPool } from '../sessions/session-pool.js';
import type { SessionState } from '../sessions/session-state.js';

/**
 * Deliveries that must run without another one beside them. One that waits reserves a session: no further delivery begins
 * there, and it runs once those under way have ended. Requests are not touched.
 */
export class Exclusives {
  private readonly waiting = new Map<PendingCall, SessionState | undefined>();

  constructor(private readonly pool: SessionPool, private readonly run: (call: PendingCall, session: SessionState) => void) {}

  get size(): number {
    return this.waiting.size;
  }

  all(): readonly PendingCall[] {
    return [...this.waiting.keys()];
  }

  /** Runs it now when a session has no delivery. */
  startNow(call: PendingCall): boolean {
    const session = this.pool.pickQuiet(call.request.step);
    if (!session || session.deliveries > 0) return false;
    this.begin(call, session);
    return true;
  }

  /** Lets it wait, with a session of its own if there is one. */
  add(call: PendingCall): void {
    this.waiting.set(call, undefined);
    this.settle(call);
  }

  /** It waits no longer; returns the session that was reserved for it. */
  delete(call: PendingCall): SessionState | undefined {
    const session = this.waiting.get(call);
    this.waiting.delete(call);
    session?.unreserve(call);
    return session;
  }

  /** Sessions have changed, or deliveries have ended. */
  wake(): void {
    for (const call of this.all()) if (this.waiting.has(call)) this.settle(call);
  }

  private settle(call: PendingCall): void {
    const { step } = call.request;
    let session = this.waiting.get(call);
    if (!session?.steps.has(step) || session.behind) {
      session?.unreserve(call);
      session = this.pool.pickQuiet(step);
      session?.reserve(call);
      this.waiting.set(call, session);
    }
    if (session?.deliveries !== 0) return;
    this.waiting.delete(call);
    call.queue?.remove(call);
    this.begin(call, session);
  }

  private begin(call: PendingCall, session: SessionState): void {
    session.reserve(call);
    this.run(call, session);
  }
}
