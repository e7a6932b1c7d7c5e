import { type QueueDelivery, StepFailure } from '@treadle/api';
import { CheckThread, type CheckVerdict, SMALL_JSON_BYTES } from '@treadle/json';
import type { Consumer } from './consumer.js';
import { type DeliveryEnd, refused } from './delivery-outcome.js';
import { judged, prepare, type PreparedDelivery, unreadable } from './prepare-delivery.js';
import { readAnew } from './read-delivery.js';

/** Whether reading and checking a delivery would hold up the event loop. */
export const isLarge = ({ data }: Pick<QueueDelivery, 'data'>): boolean => data.length > SMALL_JSON_BYTES;

/** A delivery that is being read and checked. */
export interface LargeDelivery {
  readonly consumer: Consumer;
  readonly delivery: QueueDelivery;
  /** Milliseconds of the monotonic clock. */
  readonly began: number;
}

/** Prepares large deliveries outside of the event loop. */
export class LargeDeliveries {
  private readonly waiting = new Map<LargeDelivery, () => void>();

  constructor(private readonly now: () => number, private readonly thread: Pick<CheckThread, 'judge'> = CheckThread.shared) {}

  get size(): number {
    return this.waiting.size;
  }

  all(): readonly LargeDelivery[] {
    return [...this.waiting.keys()];
  }

  /** Calls `done` once, later, unless it is given up. */
  prepare(large: LargeDelivery, done: (prepared: PreparedDelivery | DeliveryEnd) => void): void {
    const { consumer, delivery } = large;
    const giveUp = this.thread.judge({ bytes: delivery.data, as: 'trusted-json', check: consumer.check, outline: true }, (verdict) => {
      this.waiting.delete(large);
      done(preparedBy(verdict, large, this.now()));
    });
    this.waiting.set(large, giveUp);
  }

  /** Its `done` is not called any more. */
  giveUp(large: LargeDelivery): void {
    this.waiting.get(large)?.();
    this.waiting.delete(large);
  }
}

function preparedBy(verdict: CheckVerdict, { consumer, delivery }: LargeDelivery, now: number): PreparedDelivery | DeliveryEnd {
  if ('fault' in verdict) return unreadable(delivery, now, verdict.fault);
  if ('tooLarge' in verdict) return refused(delivery, 'invalid_input', new StepFailure('validation_failed', 'the message takes more memory than its check may have'), now);
  // The thread ended for a reason of its own; the message has to be delivered all the same.
  if ('error' in verdict) return prepare(consumer, delivery, now);
  return judged(consumer, delivery, readAnew(delivery, verdict), now);
}
