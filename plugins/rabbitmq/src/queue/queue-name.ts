import { createHash } from 'node:crypto';
import type { SubscriptionKey } from '@treadle/api';

/** Name of a subscription's queue: readable for operators, and unlike that of any other subscription. */
export function queueName(exchange: string, { step, topic }: SubscriptionKey): string {
  const readable = `${step}.${topic}`.replace(/[^\w.-]/g, '_').slice(0, 100);
  const hash = createHash('sha256').update(JSON.stringify([step, topic])).digest('base64url').slice(0, 22);
  return `${exchange}.${readable}.${hash}`;
}
