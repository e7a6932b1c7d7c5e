import { type DeadLetterReason, type QueueDelivery, StepFailure, type TriggerRef, type ValidationIssue } from '@treadle/api';
import { CheckThread, type CheckVerdict, SMALL_JSON_BYTES } from '@treadle/json';
import type { Consumer } from './consumer.js';
import { type DeliveryEnd, refused } from './delivery-outcome.js';
import { type ReadDelivery, readAnew } from './read-delivery.js';

/** Longest chain of state and stream triggers that cause each other. */
const MAX_HOPS = 100;

/** A delivery that a handler may have. */
export interface PreparedDelivery {
  readonly trigger: TriggerRef;
  readonly message: ReadDelivery;
}

/** Reads and checks a delivery; one that no handler is to see becomes a dead letter. `now`: milliseconds since the epoch. */
export function prepare(consumer: Consumer, delivery: QueueDelivery, now: number): PreparedDelivery | DeliveryEnd {
  const { data } = delivery;
  let input: unknown;
  try {
    input = JSON.parse(data);
  } catch (error) {
    return unreadable(delivery, now, String(error));
  }
  return judged(consumer, delivery, { input, refusal: consumer.check?.refuse(input, data.length) }, now);
}

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

/** The end of a delivery whose text is no JSON. Only a damaged store can do this; one bad message must not stop the others. */
function unreadable(delivery: QueueDelivery, now: number, reason: string): DeliveryEnd {
  return end(delivery, now, 'invalid_input', new StepFailure('invalid_json', `the stored message is no JSON: ${reason}`));
}

/** The rest of `prepare`, for what was read and checked. */
function judged(consumer: Consumer, delivery: QueueDelivery, message: ReadDelivery, now: number): PreparedDelivery | DeliveryEnd {
  const { kind, hops } = delivery;
  if (kind !== 'queue' && hops > MAX_HOPS) {
    return end(delivery, now, 'loop_limit', new StepFailure('cancelled', `${MAX_HOPS} triggers have set off each other before this one; a loop was cut`));
  }
  if (message.refusal) return end(delivery, now, 'invalid_input', invalid(message.refusal.issues));
  const trigger = consumer.triggerOf(kind, message);
  if (trigger) return { trigger, message };
  return end(delivery, now, 'subscription_retired', new StepFailure('cancelled', `Step "${consumer.step}" has no trigger any more that wants this change`));
}

function end(delivery: QueueDelivery, now: number, reason: DeadLetterReason, failure: StepFailure): DeliveryEnd {
  return refused(delivery, reason, failure, now);
}

const invalid = (issues: readonly ValidationIssue[]): StepFailure =>
  new StepFailure('validation_failed', `the message fails its schema: ${issues.map(({ path, message }) => `${path || 'input'}: ${message}`).join('; ')}`, { issues });
