import type { InvokeRequest, StepId, WorkerSession } from '@treadle/api';
import type { PendingCall } from './pending-call.js';

/** How many calls a worker may hold at once, counted apart. @source product specification, section 10 */
export const CREDITS = { request: 1024, delivery: 100 } as const;

/** What the hub knows of a session. */
export class SessionState {
  readonly calls = new Map<number, PendingCall>();
  steps: ReadonlySet<StepId> = new Set();
  retired = false;
  gone = false;
  private request = 0;
  private delivery = 0;

  constructor(readonly session: WorkerSession) {}

  hasCredit(lane: InvokeRequest['lane']): boolean {
    return this[lane] < CREDITS[lane];
  }

  take(call: PendingCall): void {
    call.session = this;
    this.calls.set(call.id, call);
    this[call.request.lane]++;
  }

  release(call: PendingCall): void {
    if (this.calls.delete(call.id)) this[call.request.lane]--;
  }
}
