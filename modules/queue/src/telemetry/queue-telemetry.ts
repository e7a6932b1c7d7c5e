import {
  type Attributes, type CounterSeries, type DeadLetterReason, type Emits, type HistogramSeries, parentOf, type SpanRecord, spanIdOf, type StepFailure, type Telemetry,
  timeOfDay,
} from '@treadle/api';
import type { Consumer } from '../delivery/consumer.js';
import type { DeliveryOutcome } from '../delivery/delivery-outcome.js';
import { MESSAGES, OLDEST } from './queue-gauges.js';
import type { Attempt } from '../delivery/delivery-run.js';
import type { FailedAttempt, QueueObserver } from './queue-observer.js';
import { TopicNames } from '../publishing/topic-names.js';

const DURATION = { description: 'How long messages took to be processed, by outcome', unit: 's' };
const COUNT = { description: 'Attempts to process a message, by outcome', unit: '{message}' };
const RETRIES = { description: 'Attempts that will be repeated', unit: '{retry}' };
const DEAD = { description: 'Messages that became dead letters, by reason', unit: '{message}' };
const UNROUTED = { description: 'Messages to topics that nobody consumes', unit: '{message}' };
const EXPIRED = { description: 'Messages and dead letters that were given up because of age or number', unit: '{message}' };
const CONFLICTS = { description: 'Runs of atomic Steps that were repeated because others had changed what they read or wrote', unit: '{run}' };
/** For the module's declaration. */
export const QUEUE_EMITS: Emits = {
  spans: [
    { name: 'queue.publish <topic>', description: 'Messages on their way into the store' },
    { name: 'queue.consume <topic>', description: 'An attempt to process a message, from its claim to its outcome' },
  ],
  metrics: [
    { name: 'queue.message.duration', ...DURATION }, { name: 'queue.message.count', ...COUNT }, { name: 'queue.message.retries', ...RETRIES },
    { name: 'treadle.queue.dead_letters', ...DEAD }, { name: 'treadle.queue.unrouted', ...UNROUTED }, { name: 'treadle.queue.expired', ...EXPIRED }, { name: 'treadle.queue.conflicts', ...CONFLICTS },
    { name: 'treadle.queue.messages', ...MESSAGES }, { name: 'treadle.queue.oldest_message.age', ...OLDEST },
  ],
};

/** Failures before a handler began; their delivery is handed back and comes again. */
const NOT_BEGUN = new Set(['no_worker', 'overloaded', 'draining']);

interface OutcomeSeries {
  readonly duration: HistogramSeries;
  readonly count: CounterSeries;
  readonly retries: CounterSeries | undefined;
}

/** Counts, times and traces what the queue does. */
export class QueueTelemetry implements QueueObserver {
  private readonly series = new WeakMap<Consumer, Map<string, OutcomeSeries>>();
  private readonly names = new TopicNames('queue.consume');

  constructor(private readonly telemetry: Telemetry) {}

  published(): void {
    // The span of the publisher tells of it.
  }

  unrouted(): void {
    this.telemetry.counter('treadle.queue.unrouted', {}, UNROUTED).add(1);
  }

  delivered(outcome: DeliveryOutcome, ms: number, attempt: Attempt, failed?: FailedAttempt): void {
    // Handed back as it was: nothing has been processed.
    if (outcome !== 'released') this.count(outcome, ms, attempt);
    if (attempt.sampled && !(failed && NOT_BEGUN.has(failed.failure.code))) this.trace(outcome, ms, attempt, failed);
  }

  dead(reason: DeadLetterReason): void {
    this.telemetry.counter('treadle.queue.dead_letters', { reason }, DEAD).add(1);
  }

  stale(): void {
    // Somebody else has the delivery and counts it.
  }

  conflicted({ consumer: { step } }: Attempt): void {
    this.telemetry.counter('treadle.queue.conflicts', { 'step.name': step }, CONFLICTS).add(1);
  }

  expired(what: 'dead' | 'unrouted', count: number): void {
    this.telemetry.counter('treadle.queue.expired', { what }, EXPIRED).add(count);
  }

  private count(outcome: DeliveryOutcome, ms: number, { consumer, delivery }: Attempt): void {
    const { duration, count, retries } = this.seriesOf(consumer, outcome, destination(delivery));
    duration.record(ms / 1000);
    count.add(1);
    retries?.add(1);
  }

  private seriesOf(consumer: Consumer, outcome: DeliveryOutcome, topic: string): OutcomeSeries {
    let of = this.series.get(consumer);
    if (!of) this.series.set(consumer, of = new Map());
    const key = consumer.topic === '' ? `${topic} ${outcome}` : outcome;
    let found = of.get(key);
    if (!found) of.set(key, found = this.makeSeries({ 'messaging.destination.name': topic, 'step.name': consumer.step }, outcome));
    return found;
  }

  private makeSeries(subscription: Readonly<Record<string, string>>, outcome: DeliveryOutcome): OutcomeSeries {
    const labels = Object.freeze({ ...subscription, outcome });
    return {
      duration: this.telemetry.histogram('queue.message.duration', labels, DURATION),
      count: this.telemetry.counter('queue.message.count', labels, COUNT),
      retries: outcome === 'retry' ? this.telemetry.counter('queue.message.retries', subscription, RETRIES) : undefined,
    };
  }

  private trace(outcome: DeliveryOutcome, ms: number, { consumer, delivery, traceId, spanId, began }: Attempt, failed: FailedAttempt | undefined): void {
    const topic = destination(delivery);
    this.telemetry.span({
      traceId, spanId, parentSpanId: parentOf(spanIdOf(delivery.traceparent)), name: this.names.of(topic), kind: 'consumer',
      startTime: timeOfDay(began), durationMs: ms, error: errorOf(failed?.failure), stepName: consumer.step,
      attributes: { ...attributesOf({ outcome, topic, step: consumer.step }, delivery), ...outcome === 'retry' && failed?.againAt !== undefined && { 'queue.next_attempt_at': failed.againAt } },
    });
  }
}

/** Changes of state and streams have no topic; their kind stands for it. */
function destination({ kind, topic }: Attempt['delivery']): string {
  return kind === 'queue' || kind === 'trigger' ? topic : `${kind} changes`;
}

function attributesOf(
  { outcome, topic, step }: { readonly outcome: string; readonly topic: string; readonly step: string }, { messageId, enqueuedAt, progress }: Attempt['delivery'],
): Attributes {
  return {
    'messaging.system': 'treadle', 'messaging.operation.type': 'process', 'messaging.destination.name': topic, 'messaging.message.id': messageId,
    'queue.enqueued_at': enqueuedAt, 'queue.outcome': outcome, 'step.name': step, 'step.attempt': progress.attempts + 1,
  };
}

/** A condition that is not met is no error. */
function errorOf(failure: StepFailure | undefined): SpanRecord['error'] {
  if (failure === undefined || failure.code === 'condition_not_met') return undefined;
  return { type: failure.detail.errorName ?? failure.code, message: failure.message };
}
