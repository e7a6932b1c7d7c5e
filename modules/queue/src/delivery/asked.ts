import { isSampled, newSpanId, type QueueDelivery, type SubscriptionKey, traceIdOf } from '@treadle/api';
import type { Attempt } from '../telemetry/queue-observer.js';
import type { Consumer } from './consumer.js';

/** One request of a claim. */
export interface Asked {
  readonly consumer: Consumer;
  readonly max: number;
  got: number;
}

/** Whether a delivery came of the request. */
export function isFor(asked: Asked | undefined, { step, topic }: SubscriptionKey): boolean {
  return asked !== undefined && asked.consumer.topic === topic && asked.consumer.step === step;
}

/** The attempt of a delivery that no handler is to see. `began`: milliseconds of the monotonic clock. */
export function unseen(consumer: Consumer, delivery: QueueDelivery, began: number): Attempt {
  const { traceparent } = delivery;
  return { consumer, delivery, traceId: traceIdOf(traceparent), spanId: newSpanId(), sampled: isSampled(traceparent), began };
}
