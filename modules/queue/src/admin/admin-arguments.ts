import { AdminError, invalidArgument, type StoredSubscription, type SubscriptionKey } from '@treadle/api';

/** Most items of a page. */
export const MAX_LIMIT = 1_000;

/** A text that must be there. @throws AdminError 400 */
export function textOf(from: unknown, name: string): string {
  const value = (from as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  if (typeof value === 'string' && value !== '') return value;
  throw invalidArgument(`"${name}" is missing or no text`);
}

/**
 * The subscription that `step` and `topic` mean; `topic` may be left out where the Step has one only, and is empty for changes of
 * state and streams. @throws AdminError 400, 404
 */
export function subscriptionOf(all: readonly StoredSubscription[], from: unknown): SubscriptionKey {
  const step = textOf(from, 'step');
  const { topic } = from as { readonly topic?: unknown };
  if (topic !== undefined && typeof topic !== 'string') throw invalidArgument('"topic" is no text');
  const own = all.filter((one) => one.step === step);
  const [first] = own;
  if (!first) throw new AdminError(404, 'not_found', `Step "${step}" has no subscription`);
  if (topic === undefined && own.length > 1) throw invalidArgument(`Step "${step}" has ${own.length} subscriptions; name one of them as "topic": ${own.map(shown).join(', ')}`);
  const meant = topic === undefined ? first : own.find((one) => one.topic === topic);
  if (meant) return { step, topic: meant.topic };
  throw new AdminError(404, 'not_found', `Step "${step}" is not subscribed to ${topic === '' ? 'changes' : `topic "${topic}"`}`);
}

const shown = ({ topic }: SubscriptionKey): string => (topic === '' ? '"" (changes)' : `"${topic}"`);
