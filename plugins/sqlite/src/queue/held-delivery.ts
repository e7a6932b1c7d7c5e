import type { DeliveryProgress, NewMessage, QueueDelivery } from '@treadle/api';

/** A delivery in memory; handed out as it is when it is claimed, and made anew when it comes back. */
export interface HeldDelivery extends QueueDelivery {
  /** Of its claim; empty before. */
  epoch: string;
  /** Its claim has ended, and the end is on its way to the disk. */
  settling: boolean;
}

/** Progress of a delivery that nobody has tried. */
export const FRESH: DeliveryProgress = Object.freeze({ attempts: 0, deaths: 0, history: '' });

/** A new message as a delivery of a subscription. */
export function heldOf({ step, topic }: { readonly step: string; readonly topic: string }, deliveryId: number, message: NewMessage): HeldDelivery {
  return {
    step, topic, deliveryId, epoch: '', messageId: message.id, kind: message.kind, data: message.data, headers: message.headers,
    traceparent: message.traceparent, hops: message.hops, enqueuedAt: message.enqueuedAt, groupId: message.groupId, progress: FRESH, settling: false,
  };
}

/** Beside its texts. */
const OBJECT_BYTES = 300;

/** What it takes in memory, roughly. */
export function bytesOf({ data, headers, progress }: HeldDelivery): number {
  return OBJECT_BYTES + data.length + (headers?.length ?? 0) + progress.history.length;
}
