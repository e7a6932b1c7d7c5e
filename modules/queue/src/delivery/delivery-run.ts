import {
  type CallAnswer, type InvokeRequest, isSampled, newSpanId, type QueueDelivery, spanIdOf, type StepFailure, type StepResult, traceIdOf, type TriggerRef,
} from '@treadle/api';
import { BufferedRun } from './buffered-run.js';
import type { Consumer } from './consumer.js';
import { EXCLUSIVE_FROM } from './delivery-outcome.js';
import { type ReadDelivery, readAnew } from './read-delivery.js';

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
  readonly atomic: BufferedRun | undefined;
  private readonly read: ReadDelivery;
  /** It counts against the concurrency; an atomic one may leave its slot before its commit. */
  hasSlot = true;

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
    this.atomic = consumer.atomic ? new BufferedRun() : undefined;
  }

  get input(): unknown {
    return this.read.input;
  }

  /** For another run of the handler, which must not see what this one has changed in its input. */
  readAgain(): ReadDelivery {
    return readAnew(this.delivery, this.read);
  }

  /** Its slot is free from now on, although it is not over. */
  goAhead(): void {
    this.leaveSlot(false);
    this.hasSlot = false;
    this.consumer.ahead++;
  }

  /** As far as it has one still. `crowded`: no worker had credit for it. */
  leaveSlot(crowded: boolean): void {
    if (this.hasSlot) this.consumer.ended(crowded);
    else this.consumer.ahead--;
  }

  /** False: it has left its slot, and there is none. */
  hasSlotAgain(): boolean {
    if (this.hasSlot) return true;
    if (this.consumer.slots <= 0) return false;
    this.consumer.ahead--;
    this.consumer.resumed();
    return true;
  }

  succeeded(_result: StepResult): void {
    this.owner.ended(this, undefined);
  }

  failed(failure: StepFailure): void {
    this.owner.ended(this, failure);
  }
}

/** An attempt to process a delivery that has ended. */
export type Attempt = Pick<DeliveryRun, 'consumer' | 'delivery' | 'traceId' | 'spanId' | 'sampled' | 'began'>;

/** The attempt of a delivery that no handler is to see. `began`: milliseconds of the monotonic clock. */
export function unseen(consumer: Consumer, delivery: QueueDelivery, began: number): Attempt {
  const { traceparent } = delivery;
  return { consumer, delivery, traceId: traceIdOf(traceparent), spanId: newSpanId(), sampled: isSampled(traceparent), began };
}

/** Runs under way: an array, because every delivery enters and leaves, and a map or set costs several times as much. */
export class RunList {
  private readonly runs: DeliveryRun[] = [];

  get size(): number {
    return this.runs.length;
  }

  add(run: DeliveryRun): void {
    run.place = this.runs.push(run) - 1;
  }

  /** `run` must be in the list. */
  remove(run: DeliveryRun): void {
    const last = this.runs.pop() as DeliveryRun;
    if (last === run) return;
    this.runs[run.place] = last;
    last.place = run.place;
  }

  /** A copy, so that the list may change meanwhile. */
  all(): readonly DeliveryRun[] {
    return [...this.runs];
  }
}
