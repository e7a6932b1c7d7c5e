import type { NewMessage, StoredSubscription, SubscriptionKey } from '@treadle/api';

/** The subscriptions of the second store as the engine last read them. */
export class SubscriptionList {
  private readonly byKey = new Map<string, StoredSubscription>();
  private readonly byTopic = new Map<string, StoredSubscription[]>();

  constructor(readonly all: readonly StoredSubscription[]) {
    for (const one of all) {
      this.byKey.set(textOf(one), one);
      const others = this.byTopic.get(one.topic);
      if (others) others.push(one);
      else this.byTopic.set(one.topic, [one]);
    }
  }

  get(key: SubscriptionKey): StoredSubscription | undefined {
    return this.byKey.get(textOf(key));
  }

  /** Who gets a message; empty: nobody has subscribed. */
  targetsOf({ topic, to }: Pick<NewMessage, 'topic' | 'to'>): readonly StoredSubscription[] {
    if (to === undefined) return this.byTopic.get(topic) ?? [];
    const target = this.get({ step: to, topic: '' });
    return target ? [target] : [];
  }
}

/** A key as one text. */
export function textOf({ step, topic }: SubscriptionKey): string {
  return `${step.length} ${step} ${topic}`;
}
