import { decodeKey, type DeliveryProgress, type NewMessage, type StoreClock, type SubscriptionKey } from '@treadle/api';
import type { Row } from '../store/connections.js';
import { KINDS } from './enqueue-plan.js';

/** A row of deliveries or dead letters. */
export interface MessageRow extends Row {
  readonly id: number; readonly message: string; readonly data: string; readonly headers: string | null; readonly trace: string;
  readonly enqueued_at: number; readonly kind: number; readonly grp: string | null;
  readonly attempts: number; readonly deaths: number; readonly history: string;
}

/** What deliveries, peeked ones and dead letters have in common. */
export interface StoredMessage {
  readonly messageId: string; readonly kind: NewMessage['kind']; readonly data: string; readonly headers: string | undefined;
  readonly traceparent: string; readonly enqueuedAt: number; readonly groupId: string | undefined; readonly progress: DeliveryProgress;
}

export function messageOf(row: MessageRow, time: StoreClock): StoredMessage {
  const { attempts, deaths, history } = row;
  return {
    messageId: row.message, kind: KINDS[row.kind] ?? 'queue', data: row.data, headers: row.headers ?? undefined, traceparent: row.trace,
    enqueuedAt: time.fromStore(row.enqueued_at), groupId: row.grp === null ? undefined : decodeKey(row.grp), progress: { attempts, deaths, history },
  };
}

/** Columns of a key as the caller knows it. */
export function keyOf({ step, topic }: { readonly step: string; readonly topic: string }): SubscriptionKey {
  return { step: decodeKey(step), topic: decodeKey(topic) };
}
