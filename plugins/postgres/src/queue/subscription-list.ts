import { decodeKey, encodeKey, type NewMessage, type StoredSubscription, type SubscriptionKey } from '@treadle/api';
import type { Queries } from '../store/connections.js';

/** A subscription with its number in the tables. Those of the Step `''` hold what lies unrouted. */
export interface Subscription {
  readonly number: number;
  readonly stored: StoredSubscription;
  readonly retired: boolean;
}

interface SubscriptionRow extends Record<string, unknown> {
  readonly version: number; readonly number: number | null; readonly step: string; readonly topic: string; readonly application: string;
  readonly fifo: boolean; readonly delay_ms: number; readonly paused: boolean; readonly settings: string; readonly retired: boolean;
}

const READ = `SELECT v.version, s.* FROM queue_version v LEFT JOIN queue_subscriptions s ON true WHERE v.only_row`;

/** The subscriptions of one version. */
export class SubscriptionList {
  private readonly byKey = new Map<string, Subscription>();
  private readonly byTopic = new Map<string, Subscription[]>();
  private readonly byNumber = new Map<number, Subscription>();

  constructor(readonly version: number, readonly all: readonly Subscription[]) {
    for (const subscription of all) {
      const { stored, number, retired } = subscription;
      this.byKey.set(textOf(stored), subscription);
      this.byNumber.set(number, subscription);
      if (retired || stored.step === '') continue;
      const others = this.byTopic.get(stored.topic);
      if (others) others.push(subscription);
      else this.byTopic.set(stored.topic, [subscription]);
    }
  }

  static async read(queries: Queries): Promise<SubscriptionList> {
    const rows = await queries.rows<SubscriptionRow>(READ, [], 'queue.subscriptions');
    return new SubscriptionList(rows[0]?.version ?? 0, rows.flatMap((row) => (row.number === null ? [] : [subscriptionOf(row, row.number)])));
  }

  get(key: SubscriptionKey): Subscription | undefined {
    return this.byKey.get(textOf(key));
  }

  numbered(number: number): Subscription | undefined {
    return this.byNumber.get(number);
  }

  /** Those that operators see. */
  get living(): readonly Subscription[] {
    return this.all.filter(({ stored, retired }) => !retired && stored.step !== '');
  }

  get retired(): readonly Subscription[] {
    return this.all.filter(({ retired }) => retired);
  }

  /** Who gets a message; empty for a `to` that is not subscribed; undefined for a topic that nobody has subscribed to, or written to before. */
  targetsOf({ topic, to }: Pick<NewMessage, 'topic' | 'to'>): readonly Subscription[] | undefined {
    if (to !== undefined) {
      const target = this.get({ step: to, topic: '' });
      return target && !target.retired ? [target] : [];
    }
    const found = this.byTopic.get(topic);
    if (found) return found;
    const unrouted = this.get({ step: '', topic });
    return unrouted && [unrouted];
  }
}

/** Texts of a key as the tables have them. */
export function keyColumns({ step, topic }: SubscriptionKey): [string, string] {
  return [encodeKey(step), encodeKey(topic)];
}

function textOf({ step, topic }: SubscriptionKey): string {
  return `${step.length} ${step} ${topic}`;
}

function subscriptionOf(row: SubscriptionRow, number: number): Subscription {
  const { step, topic, application, fifo, delay_ms: delayMs, paused, settings, retired } = row;
  return {
    number, retired,
    stored: { step: decodeKey(step), topic: decodeKey(topic), application: decodeKey(application), fifo, delayMs, paused, settings: decodeKey(settings) },
  };
}
