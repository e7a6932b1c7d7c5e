import { type Clock, LAST_WORD_MS, StepFailure } from '@treadle/api';
import { DeadlineQueue } from './deadline-queue.js';
import type { CallSession, PendingCall } from './pending-call.js';

/** Deliveries that were given up while they ran. A handler that has just ended has its answer on its way, and would run once more without it. */
export class LastWords {
  private readonly waiting: DeadlineQueue<PendingCall>;

  constructor(clock: Clock) {
    this.waiting = new DeadlineQueue(clock, LAST_WORD_MS, (call) => call.fail(cancelled('drain')));
  }

  /** Tells the worker. The call fails soon, unless its handler turns out to have succeeded. */
  await(call: PendingCall, session: CallSession): void {
    call.givenUp = cancelled('drain');
    call.queue?.remove(call);
    this.waiting.add(call);
    session.giveUp(call, 'drain');
  }

  close(): void {
    this.waiting.close();
  }
}

export const cancelled = (reason: string): StepFailure => new StepFailure('cancelled', `the call was cancelled: ${reason}`);
