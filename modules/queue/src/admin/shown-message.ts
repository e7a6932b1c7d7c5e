import { type PeekedDelivery, traceIdOf } from '@treadle/api';

/** A waiting delivery as the admin API shows it. */
export function shownMessage({ messageId, deliveryId, step, topic, data, headers, groupId, progress, enqueuedAt, dueAt, active, traceparent }: PeekedDelivery): object {
  return {
    messageId, deliveryId, step, topic, data: JSON.parse(data) as unknown,
    ...(headers !== undefined && { headers: JSON.parse(headers) as unknown }), ...(groupId !== undefined && { groupId }),
    attempts: progress.attempts, enqueuedAt: new Date(enqueuedAt).toISOString(),
    ...(dueAt !== undefined && { dueAt: new Date(dueAt).toISOString() }), active, traceId: traceIdOf(traceparent),
  };
}
