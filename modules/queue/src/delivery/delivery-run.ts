import {
  type CallAnswer, type InvokeRequest, isSampled, newSpanId, type QueueDelivery, spanIdOf, type StepFailure, type StepResult, traceIdOf, type TriggerRef,
} from '@treadle/api';
import type { Consumer } from './consumer.js';
import { EXCLUSIVE_FROM } from './delivery-outcome.js';
import type { ReadDelivery } from './prepare-delivery.js';

/** How long a delivery waits for a worker with credit. Milliseconds. */
const WAIT_MS = 10_000;
/** How long it waits for a worker that has no other delivery. Milliseconds. */
const EXCLUSIVE_WAIT_MS = 60_000;

/** Whom a run tells that it is over; once. */
export interface RunOwner {
  /** `failure` is absent when the handler succeeded. */
  ended(run: DeliveryRun, failure: StepFailure | undefined): void;
}

/** What a run is about. */
export interface RunFacts {
  readonly consumer: Consumer;
  readonly delivery: QueueDelivery;
  readonly trigger: TriggerRef;
  readonly message: ReadDelivery;
  /** Milliseconds of the monotonic clock. */
  readonly began: number;
  /** Spans are written: a sampled delivery gets one of its own. */
  readonly traced: boolean;
}

/** One attempt to process a delivery: the request to the invoker and the taker of its answer in one object. */
export class DeliveryRun implements CallAnswer, InvokeRequest {
  /** In the pump's list. */
  place = 0;
  readonly consumer: Consumer;
  readonly delivery: QueueDelivery;
  readonly began: number;
  readonly step: string;
  readonly trigger: TriggerRef;
  readonly inputText: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
  readonly timeoutMs: number;
  readonly attempt: number;
  readonly message: QueueDelivery | undefined;
  readonly lane = 'delivery';
  readonly waitMs: number;
  readonly hops: number;
  readonly exclusive: boolean;
  private readonly read: ReadDelivery;

  constructor(private readonly owner: RunOwner, { consumer, delivery, trigger, message, began, traced }: RunFacts) {
    const { traceparent, progress } = delivery;
    this.consumer = consumer;
    this.delivery = delivery;
    this.began = began;
    this.step = consumer.step;
    this.trigger = trigger;
    this.read = message;
    this.inputText = delivery.data;
    this.traceId = traceIdOf(traceparent);
    this.sampled = isSampled(traceparent);
    this.spanId = traced && this.sampled ? newSpanId() : spanIdOf(traceparent);
    this.timeoutMs = consumer.settings.timeoutMs;
    this.attempt = progress.attempts + 1;
    this.message = delivery.kind === 'queue' ? delivery : undefined;
    this.exclusive = progress.deaths >= EXCLUSIVE_FROM;
    this.waitMs = this.exclusive ? EXCLUSIVE_WAIT_MS : WAIT_MS;
    this.hops = delivery.hops;
  }

  get input(): unknown {
    return this.read.input;
  }

  succeeded(_result: StepResult): void {
    this.owner.ended(this, undefined);
  }

  failed(failure: StepFailure): void {
    this.owner.ended(this, failure);
  }
}
