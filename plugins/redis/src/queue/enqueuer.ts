import { encodeKey, type EnqueueOutcome, type NewMessage, type SubscriptionKey } from '@treadle/api';
import type { Arg } from '../store/connection.js';
import { Gatherer } from './gatherer.js';
import { messageText } from './message-text.js';
import type { QueueWork } from './queue-work.js';
import { keyText, recordText, type Subscription } from './subscription-list.js';
import { UNROUTED } from './subscription-scripts.js';
import { ENQUEUE } from './work-scripts.js';

/** A message weighs what it is long, and this; a script takes about a millisecond for 100,000. */
const MESSAGE_WEIGHT = 1_000;

/** What a batch weighs in a script. */
export const weightOf = ({ messages }: Batch): number => messages.reduce((sum, { data }) => sum + data.length, messages.length * MESSAGE_WEIGHT);

const LIMITS = { atOnce: 2, weight: 500_000, weightOf };

/** One batch of one call. */
export interface Batch {
  readonly messages: readonly NewMessage[];
  readonly maxWaiting: number;
}

/** Of a batch: 1, the ids of its messages, or the subscription that is full. */
type OutcomeReply = 1 | readonly string[] | string;

/** A write, for the one behind it. */
interface Going {
  /** Of the list of subscriptions that it was sent with last; absent until then. */
  version?: number;
  /** It has ended, whatever has become of it. */
  over?: Promise<unknown>;
}

/** Writes messages. What comes while enough is under way goes with the next one. */
export class Enqueuer {
  private readonly gatherer = new Gatherer<Batch, EnqueueOutcome>(LIMITS, (batches) => this.write(batches));

  private last: Going = {};

  constructor(private readonly work: QueueWork) {}

  enqueueMany(batches: readonly (readonly NewMessage[])[], { maxWaiting }: { readonly maxWaiting: number }): Promise<readonly EnqueueOutcome[]> {
    return this.gatherer.add(batches.map((messages) => ({ messages, maxWaiting })));
  }

  private write(batches: readonly Batch[]): Promise<readonly EnqueueOutcome[]> {
    const { last } = this;
    const own: Going = {};
    const written = this.writeBehind(last, own, batches);
    own.over = written.catch(() => undefined);
    this.last = own;
    return written;
  }

  private async writeBehind(before: Going, own: Going, batches: readonly Batch[]): Promise<readonly EnqueueOutcome[]> {
    const { work } = this;
    let stored: readonly Target[] = [];
    const replies = await work.current(async () => {
      await this.makeUnrouted(batches);
      // With another list the one before may be refused where this one is not, and would be stored behind it.
      if (before.version !== work.list.version) await before.over;
      own.version = work.list.version;
      const args: Arg[] = [work.list.version];
      stored = batches.flatMap((batch) => this.add(batch, args));
      return work.run<readonly OutcomeReply[] | null>(ENQUEUE, args);
    });
    const outcomes = batches.map(({ messages }, index): EnqueueOutcome => {
      const reply = replies[index] ?? 1;
      if (typeof reply !== 'string') return { ok: true, ids: reply === 1 ? messages.map(({ id }) => id) : reply };
      return { ok: false, full: this.keyOf(Number(reply)) };
    });
    if (outcomes.some(({ ok }) => ok)) this.tell(stored);
    return outcomes;
  }

  /** Writes a batch as the script wants it. Gives what its deliveries are for. */
  add({ messages, maxWaiting }: Batch, args: Arg[]): Target[] {
    const { list, time } = this.work;
    args.push(messages.length, maxWaiting);
    return messages.flatMap((message) => {
      const subscriptions = list.targetsOf(message) ?? [];
      args.push(message.id, scopeOf(message), time.toStore(message.enqueuedAt), subscriptions.length, messageText(message, time));
      return subscriptions.map((subscription) => {
        const due = this.dueOf(message, subscription);
        args.push(subscription.number, due ?? '');
        return { sub: subscription.number, due };
      });
    });
  }

  /** The subscription of a number. */
  keyOf(number: number): SubscriptionKey {
    const { step = '', topic = '' } = this.work.list.numbered(number)?.stored ?? {};
    return { step, topic };
  }

  private dueOf({ dueAt, enqueuedAt }: NewMessage, { stored: { delayMs } }: Subscription): number | undefined {
    const due = delayMs > 0 ? Math.max(dueAt ?? 0, enqueuedAt + delayMs) : dueAt;
    return due === undefined ? undefined : this.work.time.toStore(due);
  }

  /** It is stored. */
  tell(stored: readonly Target[]): void {
    const { work } = this;
    const now = work.time.now();
    const ready = new Set<number>();
    for (const { sub, due } of stored) {
      if (due === undefined || due <= now) ready.add(sub);
      else work.due.note(sub, due);
    }
    work.wake(ready, true);
  }

  /** Topics that nobody has written or subscribed to before get a place for what is unrouted. */
  async makeUnrouted(batches: readonly Batch[]): Promise<void> {
    const { work } = this;
    const missing = new Set(batches.flatMap(({ messages }) => messages.filter((message) => !work.list.targetsOf(message)).map(({ topic }) => topic)));
    if (missing.size === 0) return;
    const records = [...missing].flatMap((topic) => [
      keyText({ step: '', topic }), recordText({ step: '', topic, application: '', delayMs: 0, settings: '' }),
    ]);
    await work.run(UNROUTED, records);
    await work.reload();
  }
}

/** Where a delivery of a message goes, and when it is due. */
export interface Target {
  readonly sub: number;
  readonly due: number | undefined;
}

/** Where a message's key counts, in its topic or for its Step, and the key; '' without one. */
function scopeOf({ topic, to, dedupeKey }: NewMessage): string {
  if (dedupeKey === undefined) return '';
  return JSON.stringify([to === undefined ? 't' : 's', encodeKey(to ?? topic), encodeKey(dedupeKey)]);
}
