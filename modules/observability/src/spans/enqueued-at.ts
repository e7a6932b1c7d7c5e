import type { Attributes } from '@treadle/api';

/** When the message of a consumer's span was enqueued, in milliseconds since the epoch: a number, or ISO text. */
export function enqueuedAt(attributes: Attributes): number | undefined {
  const value = attributes['queue.enqueued_at'];
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}

/** Which delivery of its message a span is about, from 1. */
export function attemptOf(attributes: Attributes): number {
  const value = attributes['step.attempt'];
  return typeof value === 'number' && value >= 1 ? value : 1;
}
