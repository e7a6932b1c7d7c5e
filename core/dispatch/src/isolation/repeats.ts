import type { Clock, StepId, Timer } from '@treadle/api';
import type { PendingCall } from '../calls/pending-call.js';

/** How long the next Step waits at most for an answer of the one before; milliseconds. */
const TURN_MS = 2_000;

/**
 * Calls that are to run again because their process has died, and it is not known which of them ended it: one Step after the
 * other, so that the next death says which.
 */
export class Repeats {
  private readonly turns: (readonly PendingCall[])[] = [];
  private current: readonly PendingCall[] = [];
  private timer: Timer | undefined;

  constructor(private readonly clock: Clock, private readonly start: (call: PendingCall) => void) {}

  add(calls: readonly PendingCall[]): void {
    const bySteps = new Map<StepId, PendingCall[]>();
    for (const call of calls) bySteps.set(call.request.step, [...bySteps.get(call.request.step) ?? [], call]);
    this.turns.push(...bySteps.values());
    if (this.current.length === 0) this.next();
  }

  /** Those whose turn has not come. */
  all(): readonly PendingCall[] {
    return this.turns.flat();
  }

  settled(call: PendingCall): void {
    if (this.current.includes(call)) this.next();
  }

  private next(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.current = (this.turns.shift() ?? []).filter((call) => !call.settled);
    if (this.current.length === 0) {
      if (this.turns.length > 0) this.next();
      return;
    }
    this.timer = this.clock.after(TURN_MS, () => this.next());
    for (const call of this.current) this.start(call);
  }
}
