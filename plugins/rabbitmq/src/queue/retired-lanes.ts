import type { DeclaredSubscription, StoredSubscription, SubscriptionChange, SubscriptionKey } from '@treadle/api';

/**
 * Which subscriptions have ended that may have left something on the server: what is claimed comes back there, and the server lists no queues. Each is
 * noted as a subscription of the second store that nobody sees, in the commit that retires it.
 */
const MARK = 'rabbitmq retired ';

/** The note of a subscription that has ended. */
export function noteOf({ step, topic }: SubscriptionKey): DeclaredSubscription {
  return { step: MARK + JSON.stringify([step, topic]), topic: '', application: '', fifo: false, delayMs: 0, settings: '' };
}

/** The subscription that a note is of; undefined for a subscription of a Step. */
export function notedBy({ step }: SubscriptionKey): SubscriptionKey | undefined {
  if (!step.startsWith(MARK)) return undefined;
  const [noted = '', topic = ''] = JSON.parse(step.slice(MARK.length)) as readonly string[];
  return { step: noted, topic };
}

/** Retirements, each with its note first. */
export function withNotes(changes: readonly SubscriptionChange[], isCarried: (key: SubscriptionKey) => boolean): readonly SubscriptionChange[] {
  return changes.flatMap((change): readonly SubscriptionChange[] => (
    change.action === 'retire' && isCarried(change.key) ? [{ action: 'put', subscription: noteOf(change.key) }, change] : [change]));
}

/** Apart: what Steps have subscribed to, and what is noted. */
export function apart(stored: readonly StoredSubscription[]): { readonly living: readonly StoredSubscription[]; readonly noted: readonly SubscriptionKey[] } {
  return { living: stored.filter((one) => !notedBy(one)), noted: stored.flatMap((one) => notedBy(one) ?? []) };
}
