import type { DeadLetterReason, StepFailure } from '@treadle/api';
import type { DeliveryOutcome } from '../delivery/delivery-outcome.js';
import type { Attempt } from '../delivery/delivery-run.js';

/** Why a handler did not succeed, or was not to see a message. */
export interface FailedAttempt {
  readonly failure: StepFailure;
  /** When the next attempt is due; milliseconds since the epoch. Absent: at once, or never. */
  readonly againAt?: number | undefined;
}

/** Told of what happens in the queue. The one place where telemetry attaches. */
export interface QueueObserver {
  /** Messages that became durable. */
  published(count: number): void;
  /** A message to a topic that nobody consumes. */
  unrouted(): void;
  /** `ms`: how long the attempt took, from its claim. */
  delivered(outcome: DeliveryOutcome, ms: number, attempt: Attempt, failed?: FailedAttempt): void;
  dead(reason: DeadLetterReason): void;
  /** Ends of deliveries that the store refused, because somebody else has them by now. */
  stale(count: number): void;
  /** A run of an atomic Step came too late, and the handler runs again. */
  conflicted(attempt: Attempt): void;
  /** Messages or dead letters that were given up because of their age or number. */
  expired(what: 'dead' | 'unrouted', count: number): void;
}
