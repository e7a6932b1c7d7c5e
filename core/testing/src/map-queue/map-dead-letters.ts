import {
  type DeadLetter, type DeadLetterPage, type DeadLetterReason, type DeadLetterSelection, type DeliveryProgress, OperationError, type QueueExpired,
  type QueueExpiry, type SubscriptionKey,
} from '@treadle/api';
import type { KeptMessage } from './map-subscription.js';

/** How a delivery died. */
export interface Death {
  readonly key: SubscriptionKey;
  readonly reason: DeadLetterReason;
  readonly at: number;
  readonly progress: DeliveryProgress;
}

/** A dead letter with all that its message had. */
export interface KeptLetter extends DeadLetter {
  readonly number: number;
}

/** Dead letters in memory, in the order of their deaths. */
export class MapDeadLetters {
  private letters: KeptLetter[] = [];
  private last = 0;

  add({ id: messageId, kind, data, headers, traceparent, enqueuedAt, groupId }: KeptMessage, { key, reason, at, progress }: Death): void {
    this.last += 1;
    this.letters.push({
      id: String(this.last), number: this.last, step: key.step, topic: key.topic, reason, deadAt: at, messageId, kind, data, headers,
      traceparent, enqueuedAt, groupId, progress,
    });
  }

  counts(): QueueExpired['dead'] {
    return counted(this.letters);
  }

  count({ step, topic }: SubscriptionKey): number {
    return this.letters.filter((letter) => letter.step === step && letter.topic === topic).length;
  }

  /** Oldest first. */
  select(selection: DeadLetterSelection): KeptLetter[] {
    const { step, topic, ids, reason } = selection;
    return this.letters.filter((letter) => (step === undefined || letter.step === step) && (topic === undefined || letter.topic === topic)
      && (reason === undefined || letter.reason === reason) && (ids === undefined || ids.includes(letter.id)));
  }

  remove(gone: Iterable<KeptLetter>): void {
    const numbers = new Set([...gone].map(({ number }) => number));
    this.letters = this.letters.filter(({ number }) => !numbers.has(number));
  }

  page(selection: DeadLetterSelection, { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined }): DeadLetterPage {
    if (cursor !== undefined && !/^\d+$/.test(cursor)) throw new OperationError('QueueInvalidArgument', `"${cursor}" is no cursor of this store`);
    const before = cursor === undefined ? Infinity : Number(cursor);
    const rest = this.select(selection).filter(({ number }) => number < before).reverse();
    const items = rest.slice(0, limit).map(({ number: _number, ...letter }) => letter);
    const last = items.at(-1);
    return rest.length > limit && last ? { items, cursor: last.id } : { items };
  }

  /** Removes what is too old, then what is too much. */
  expire({ deadBefore, maxDead }: QueueExpiry): QueueExpired['dead'] {
    const gone = this.letters.filter(({ deadAt }) => deadAt < deadBefore);
    this.remove(gone);
    const kept = new Map<string, number>();
    for (const letter of [...this.letters].reverse()) {
      if (letter.reason === 'subscription_retired') continue;
      const key = JSON.stringify([letter.step, letter.topic]);
      kept.set(key, (kept.get(key) ?? 0) + 1);
      if ((kept.get(key) ?? 0) > maxDead) gone.push(letter);
    }
    this.remove(gone);
    return counted(gone);
  }
}

function counted(letters: readonly KeptLetter[]): QueueExpired['dead'] {
  const counts = new Map<string, SubscriptionKey & { count: number }>();
  for (const { step, topic } of letters) {
    const key = JSON.stringify([step, topic]);
    const count = (counts.get(key)?.count ?? 0) + 1;
    counts.set(key, { step, topic, count });
  }
  return [...counts.values()];
}
