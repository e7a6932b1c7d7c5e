import { decodeKey, encodeKey, type NewMessage, type StoredSubscription, type SubscriptionKey } from '@treadle/api';

/** A subscription with its number in the store. Those of the Step `''` hold what lies unrouted. */
export interface Subscription {
  readonly number: number;
  readonly stored: StoredSubscription;
  readonly retired: boolean;
}

/** Reply of the script `LIST`. */
export type ListReply = readonly [version: string, records: readonly string[], flags: readonly string[]];

/** What the store keeps of a subscription beside its flags. */
export type SubscriptionRecord = Omit<StoredSubscription, 'fifo' | 'paused'>;

/** The subscriptions of one version. */
export class SubscriptionList {
  private readonly byKey = new Map<string, Subscription>();
  private readonly byTopic = new Map<string, Subscription[]>();
  private readonly byNumber = new Map<number, Subscription>();

  constructor(readonly version: number, readonly all: readonly Subscription[]) {
    for (const subscription of all) {
      const { stored, number, retired } = subscription;
      this.byKey.set(placeText(stored), subscription);
      this.byNumber.set(number, subscription);
      if (retired || stored.step === '') continue;
      const others = this.byTopic.get(stored.topic);
      if (others) others.push(subscription);
      else this.byTopic.set(stored.topic, [subscription]);
    }
  }

  static of([version, records, flags]: ListReply): SubscriptionList {
    const flagsOf = new Map(pairsOf(flags));
    return new SubscriptionList(Number(version), pairsOf(records).map(([number, record]) => subscriptionOf(Number(number), record, flagsOf.get(number) ?? '')));
  }

  get(key: SubscriptionKey): Subscription | undefined {
    return this.byKey.get(placeText(key));
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

  get unrouted(): readonly Subscription[] {
    return this.all.filter(({ stored }) => stored.step === '');
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

/** A key in a map. */
const placeText = ({ step, topic }: SubscriptionKey): string => `${step.length} ${step} ${topic}`;

/** A key as the store has it. */
export function keyText({ step, topic }: SubscriptionKey): string {
  return JSON.stringify([encodeKey(step), encodeKey(topic)]);
}

/** Reverses `keyText`. */
export function keyOf(text: string): SubscriptionKey {
  const [step = '', topic = ''] = JSON.parse(text) as readonly string[];
  return { step: decodeKey(step), topic: decodeKey(topic) };
}

/** What the store keeps of a subscription. */
export function recordText({ step, topic, application, delayMs, settings }: SubscriptionRecord): string {
  return JSON.stringify({ step, topic, application, delayMs, settings } satisfies SubscriptionRecord);
}

/** A flat list of pairs. */
export function pairsOf(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index] ?? '', flat[2 * index + 1] ?? '']);
}

function subscriptionOf(number: number, record: string, flags: string): Subscription {
  const stored = JSON.parse(record) as SubscriptionRecord;
  return { number, retired: flags.includes('r'), stored: { ...stored, fifo: flags.includes('f'), paused: flags.includes('p') } };
}
