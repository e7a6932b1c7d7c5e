import { type DeadLetterReason, type QueueDelivery, StepFailure, type TriggerRef, type ValidationIssue } from '@treadle/api';
import type { Consumer } from './consumer.js';
import { type DeliveryEnd, refused } from './delivery-outcome.js';

/** Longest chain of state and stream triggers that cause each other. */
const MAX_HOPS = 100;

/** A delivery that a handler may have. */
export interface PreparedDelivery {
  readonly trigger: TriggerRef;
  readonly input: unknown;
}

/** Reads and checks a delivery; one that no handler is to see becomes a dead letter. `now`: milliseconds since the epoch. */
export function prepare(consumer: Consumer, delivery: QueueDelivery, now: number): PreparedDelivery | DeliveryEnd {
  const { kind, data, hops } = delivery;
  let input: unknown;
  try {
    input = JSON.parse(data);
  } catch (error) {
    // Only a damaged store can do this; one bad message must not stop the others.
    return end(delivery, now, 'invalid_input', new StepFailure('invalid_json', `the stored message is no JSON: ${String(error)}`));
  }
  if (kind !== 'queue' && hops > MAX_HOPS) {
    return end(delivery, now, 'loop_limit', new StepFailure('cancelled', `${MAX_HOPS} triggers have set off each other before this one; a loop was cut`));
  }
  const refusal = consumer.check?.refuse(input, data.length);
  if (refusal) return end(delivery, now, 'invalid_input', invalid(refusal.issues));
  const trigger = consumer.triggerOf(kind, input);
  if (trigger) return { trigger, input };
  return end(delivery, now, 'subscription_retired', new StepFailure('cancelled', `Step "${consumer.step}" has no trigger any more that wants this change`));
}

function end(delivery: QueueDelivery, now: number, reason: DeadLetterReason, failure: StepFailure): DeliveryEnd {
  return refused(delivery, reason, failure, now);
}

const invalid = (issues: readonly ValidationIssue[]): StepFailure =>
  new StepFailure('validation_failed', `the message fails its schema: ${issues.map(({ path, message }) => `${path || 'input'}: ${message}`).join('; ')}`, { issues });
