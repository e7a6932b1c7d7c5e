import type { StepFailure } from '@treadle/api';
import { type DeadLetterReason, type DeliveryProgress, type QueueDelivery, type Settlement } from '@treadle/api';
import type { DeliverySettings } from '../subscriptions/delivery-settings.js';
import { withFailure } from '../dead-letters/history.js';
import { retryAfter, retryDelay } from './retry-policy.js';

/** Deaths of the worker process that make a delivery a dead letter. */
export const CRASH_LIMIT = 5;
/** Deaths from which on a delivery runs alone in its worker. */
export const EXCLUSIVE_FROM = 2;
/** How long a delivery that found every worker full stays away; milliseconds. */
export const CROWDED_MS = 100;

/** How a delivery ended, for those who count. */
export type DeliveryOutcome = 'done' | 'skipped' | 'retry' | 'released' | 'crashed' | 'dead';

/** Circumstances of an attempt that has ended. */
export interface AttemptEnd {
  readonly settings: DeliverySettings;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds that the attempt took. */
  readonly ms: number;
  readonly random: () => number;
}

/** What becomes of a delivery. */
export interface DeliveryEnd {
  readonly outcome: DeliveryOutcome;
  readonly settlement: Settlement;
  /** Why no handler was to see it. */
  readonly refusal?: StepFailure;
}

/** What becomes of a delivery whose handler failed; `done` needs no computing. */
export function endOfFailure(claim: QueueDelivery, failure: StepFailure, end: AttemptEnd): DeliveryEnd {
  switch (failure.code) {
    // A condition that is not met counts as processed.
    case 'condition_not_met': return { outcome: 'skipped', settlement: { action: 'done', claim } };
    case 'validation_failed': return dead(claim, failedOnce(claim, failure, end), 'invalid_input', end.now);
    case 'worker_lost': return failure.detail.workerDied === true ? died(claim, failure, end) : released(claim);
    case 'no_worker':
    case 'cancelled':
    case 'draining': return released(claim);
    // At once it would only find the same workers as full as they are.
    case 'overloaded': return released(claim, end.now + CROWDED_MS);
    default: return failed(claim, failure, end);
  }
}

/** A dead letter that no handler has seen. */
export function refused(claim: QueueDelivery, reason: DeadLetterReason, failure: StepFailure, now: number): DeliveryEnd {
  const { attempts, deaths, history } = claim.progress;
  const progress = { attempts, deaths, history: withFailure(history, failure, { now, ms: 0, attempt: attempts + 1 }) };
  return { ...dead(claim, progress, reason, now), refusal: failure };
}

/** Hands a claim back as it was. */
export function released(claim: QueueDelivery, dueAt?: number): DeliveryEnd {
  return { outcome: 'released', settlement: { action: 'return', claim, progress: claim.progress, dueAt } };
}

function failed(claim: QueueDelivery, failure: StepFailure, end: AttemptEnd): DeliveryEnd {
  const { settings, now, random } = end;
  const progress = failedOnce(claim, failure, end);
  if (failure.detail.nonRetryable === true) return dead(claim, progress, 'non_retryable', now);
  if (progress.attempts >= settings.maxAttempts) return dead(claim, progress, 'max_attempts', now);
  const { retryAfterMs } = failure.detail;
  const ms = retryAfterMs === undefined ? retryDelay(settings.backoff, progress.attempts, random) : retryAfter(retryAfterMs);
  return { outcome: 'retry', settlement: { action: 'return', claim, progress, dueAt: now + ms } };
}

function died(claim: QueueDelivery, failure: StepFailure, end: AttemptEnd): DeliveryEnd {
  const { attempts, deaths } = claim.progress;
  const progress = { attempts, deaths: deaths + 1, history: historyWith(claim, failure, end) };
  if (progress.deaths >= CRASH_LIMIT) return dead(claim, progress, 'crash_limit', end.now);
  return { outcome: 'crashed', settlement: { action: 'return', claim, progress } };
}

function failedOnce(claim: QueueDelivery, failure: StepFailure, end: AttemptEnd): DeliveryProgress {
  const { attempts, deaths } = claim.progress;
  return { attempts: attempts + 1, deaths, history: historyWith(claim, failure, end) };
}

function historyWith({ progress }: QueueDelivery, failure: StepFailure, { now, ms }: AttemptEnd): string {
  return withFailure(progress.history, failure, { now, ms, attempt: progress.attempts + 1 });
}

function dead(claim: QueueDelivery, progress: DeliveryProgress, reason: DeadLetterReason, at: number): DeliveryEnd {
  return { outcome: 'dead', settlement: { action: 'dead', claim, progress, reason, at } };
}
