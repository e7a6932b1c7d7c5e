import type { InvokeRequest, StepId } from '@treadle/api';
import type { PendingCall } from './pending-call.js';

type Lane = InvokeRequest['lane'];

/**
 * Most requests of one Step that wait: for a worker to come back, and for a busy one's credit. Deliveries are bounded by
 * whoever starts them: he holds them anyway.
 */
export const WAITING_LIMITS = { noWorker: 1024, noCredit: 100 } as const;

/** Calls that no session could take yet, first come first served; requests and deliveries do not wait for each other. */
export class WaitingRoom {
  private readonly lanes: Readonly<Record<Lane, Map<StepId, Set<PendingCall>>>> = { request: new Map(), delivery: new Map() };
  size = 0;

  count(step: StepId, lane: Lane): number {
    return this.lanes[lane].get(step)?.size ?? 0;
  }

  add(call: PendingCall): void {
    const { step, lane } = call.request;
    const calls = this.lanes[lane].get(step);
    if (calls) calls.add(call);
    else this.lanes[lane].set(step, new Set([call]));
    this.size++;
  }

  delete(call: PendingCall): void {
    const { step, lane } = call.request;
    const calls = this.lanes[lane].get(step);
    if (!calls?.delete(call)) return;
    this.size--;
    if (calls.size === 0) this.lanes[lane].delete(step);
  }

  /** The call of these Steps that has waited longest in a lane, those of `but` left out. */
  oldest(lane: Lane, steps: ReadonlySet<StepId>, but: ReadonlySet<StepId>): PendingCall | undefined {
    let oldest: PendingCall | undefined;
    for (const [step, calls] of this.lanes[lane]) {
      if (!steps.has(step) || but.has(step)) continue;
      const head = calls.values().next().value;
      if (head && (oldest === undefined || head.arrival < oldest.arrival)) oldest = head;
    }
    return oldest;
  }

  /** A copy, so that the room may change meanwhile. */
  all(): readonly PendingCall[] {
    return Object.values(this.lanes).flatMap((byStep) => [...byStep.values()].flatMap((calls) => [...calls]));
  }
}
