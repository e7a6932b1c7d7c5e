import type { StepId } from '@treadle/api';
import type { PendingCall } from './pending-call.js';

/** Most calls of one Step that wait: for a worker to come back, and for a busy one's credit. */
export const WAITING_LIMITS = { noWorker: 1024, noCredit: 100 } as const;

/** Calls that no session could take yet, first come first served within a Step. */
export class WaitingRoom {
  private readonly byStep = new Map<StepId, Set<PendingCall>>();
  size = 0;

  count(step: StepId): number {
    return this.byStep.get(step)?.size ?? 0;
  }

  add(call: PendingCall): void {
    const { step } = call.request;
    const calls = this.byStep.get(step);
    if (calls) calls.add(call);
    else this.byStep.set(step, new Set([call]));
    this.size++;
  }

  delete(call: PendingCall): void {
    const calls = this.byStep.get(call.request.step);
    if (!calls?.delete(call)) return;
    this.size--;
    if (calls.size === 0) this.byStep.delete(call.request.step);
  }

  /** Waiting calls of a Step, oldest first; a copy, so that the room may change meanwhile. */
  of(step: StepId): readonly PendingCall[] {
    return [...(this.byStep.get(step) ?? [])];
  }

  all(): readonly PendingCall[] {
    return [...this.byStep.values()].flatMap((calls) => [...calls]);
  }
}
