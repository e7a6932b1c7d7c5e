import { AdminError, type SubscriptionKey } from '@treadle/api';

/** Most items of a page. */
const MAX_LIMIT = 1_000;

/** A text that must be there. @throws AdminError 400 */
export function textOf(from: unknown, name: string): string {
  const value = (from as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new AdminError(400, 'bad_request', `"${name}" is missing or no text`);
}

/** `step` and `topic`; without a topic the subscription to changes. @throws AdminError 400 */
export function subscriptionKey(from: unknown): SubscriptionKey {
  const step = textOf(from, 'step');
  const { topic = '' } = from as { readonly topic?: unknown };
  if (typeof topic !== 'string') throw new AdminError(400, 'bad_request', '"topic" is no text');
  return { step, topic };
}

/** @throws AdminError 400 */
export function limitOf(value: unknown, byDefault: number): number {
  if (value === undefined) return byDefault;
  const limit = Number(value);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new AdminError(400, 'bad_request', `"limit" must be a whole number from 1 to ${MAX_LIMIT}`);
}
