import { treadleError } from '@treadle/api';
import { nearest } from '@treadle/config';
import type { AdminClient } from '../admin/admin-client.js';
import { topicName } from '../admin/show.js';

/** Who has one, by the name that was probably meant. */
function subscribedHint(step: string, items: readonly Subscription[]): string {
  const meant = nearest(step, items.map((one) => one.step));
  return meant === undefined ? '"treadle queue list" shows them' : `did you mean "${meant}"?`;
}

/** A subscription as the admin API shows it. */
export interface Subscription {
  readonly step: string;
  /** Empty for changes of state and streams. */
  readonly topic: string;
  readonly application: string;
  readonly paused: boolean;
  readonly fifo: boolean;
  readonly waiting: number;
  readonly delayed: number;
  readonly retrying: number;
  readonly active: number;
  readonly dead: number;
  readonly oldestAgeMs?: number;
}

/** `GET /queues`. */
export interface QueueOverview {
  readonly items: readonly Subscription[];
  /** Subscriptions that are gone and have dead letters; absent with an older engine. */
  readonly gone?: readonly Pick<Subscription, 'step' | 'topic' | 'dead'>[];
  readonly unrouted: readonly { readonly topic: string; readonly count: number; readonly oldestAgeMs: number }[];
}

/**
 * The subscription that a Step's name, and a topic where it is needed, stand for.
 * @throws {NOT_FOUND} when the Step has none, or not to that topic
 * @throws {USAGE} when it has several and no topic says which
 */
export async function chosenSubscription(client: AdminClient, step: string, topic: string | undefined): Promise<Subscription> {
  const { items } = await client.get<QueueOverview>(['queues']);
  const own = items.filter((one) => one.step === step);
  const fitting = topic === undefined ? own : own.filter((one) => one.topic === topic);
  const [subscription] = fitting;
  if (subscription && fitting.length === 1) return subscription;
  const known = own.map((one) => topicName(one.topic)).join(', ');
  if (own.length === 0) throw treadleError('NOT_FOUND', { message: `Step "${step}" has no subscription`, hint: subscribedHint(step, items) });
  if (topic === undefined) throw treadleError('USAGE', { message: `Step "${step}" has several subscriptions: ${known}`, hint: 'name one with --topic' });
  throw treadleError('NOT_FOUND', { message: `Step "${step}" is not subscribed to ${topicName(topic)}`, hint: `it has ${known}` });
}
