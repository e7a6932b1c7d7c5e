import type { DeadLetterSelection, QueueExpired, QueueExpiry, SubscriptionKey } from '@treadle/api';
import { type Letter, textOf } from './delivery.js';

/** Dead letters in the order of their deaths. */
export class Letters {
  readonly all = new Map<number, Letter>();
  private readonly byKey = new Map<string, number>();

  add(letter: Letter): void {
    this.all.set(letter.id, letter);
    this.byKey.set(textOf(letter), this.count(letter) + 1);
  }

  remove(letter: Letter): void {
    if (!this.all.delete(letter.id)) return;
    const left = this.count(letter) - 1;
    if (left > 0) this.byKey.set(textOf(letter), left);
    else this.byKey.delete(textOf(letter));
  }

  count(key: SubscriptionKey): number {
    return this.byKey.get(textOf(key)) ?? 0;
  }

  counts(): QueueExpired['dead'] {
    return counted(this.all.values());
  }

  /** Oldest first. */
  select({ step, topic, ids, reason }: DeadLetterSelection): readonly Letter[] {
    const wanted = ids && new Set(ids);
    return [...this.all.values()].filter((letter) => (step === undefined || letter.step === step) && (topic === undefined || letter.topic === topic)
      && (reason === undefined || letter.reason === reason) && (wanted === undefined || wanted.has(String(letter.id))));
  }

  /** Those that are too old, and those of a subscription that are too many. */
  expired({ deadBefore, maxDead }: Pick<QueueExpiry, 'deadBefore' | 'maxDead'>): readonly Letter[] {
    const gone: Letter[] = [];
    const kept = new Map<string, number>();
    for (const letter of [...this.all.values()].reverse()) {
      const isOld = letter.deadAt < deadBefore;
      const count = (kept.get(textOf(letter)) ?? 0) + 1;
      const counts = !isOld && letter.reason !== 'subscription_retired';
      if (counts) kept.set(textOf(letter), count);
      if (isOld || (counts && count > maxDead)) gone.push(letter);
    }
    return gone;
  }
}

/** How many there are of each subscription. */
export function counted(letters: Iterable<SubscriptionKey>): QueueExpired['dead'] {
  const counts = new Map<string, SubscriptionKey & { count: number }>();
  for (const { step, topic } of letters) {
    const key = textOf({ step, topic });
    const known = counts.get(key);
    if (known) known.count += 1;
    else counts.set(key, { step, topic, count: 1 });
  }
  return [...counts.values()];
}
