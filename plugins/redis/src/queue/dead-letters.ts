import { type DeadLetter, type DeadLetterPage, type DeadLetterReason, type DeadLetterSelection, OperationError, type Redrive, type SubscriptionKey } from '@treadle/api';
import type { Arg } from '../store/connection.js';
import { messageOf, messageText, progressOf } from './message-text.js';
import { DISCARD, LETTER_INDEXES, LETTERS, REDRIVE } from './operator-scripts.js';
import type { QueueWork } from './queue-work.js';
import { keyOf, pairsOf, type Subscription } from './subscription-list.js';

const LETTER_ID = /^[1-9]\d{0,14}$/;
/** Letters of one call. */
const PORTION = 200;

/** An index of dead letters: those of one subscription that died for one reason. */
interface Index extends SubscriptionKey {
  readonly name: string;
  readonly reason: DeadLetterReason;
  readonly count: number;
}

interface Query {
  readonly order: 'new' | 'old';
  readonly selection: DeadLetterSelection;
  readonly limit: number;
  /** Letter behind which to go on. */
  readonly after: string;
}

/** A dead letter and its message as the store has it. */
interface StoredLetter extends DeadLetter {
  readonly text: string;
}

/** Dead letters: shown, put back, thrown away. */
export class DeadLetters {
  constructor(private readonly work: QueueWork) {}

  /** @throws an `OperationError` `QueueInvalidArgument` for a cursor that no page gave */
  async page(selection: DeadLetterSelection, { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined }): Promise<DeadLetterPage> {
    if (cursor !== undefined && !LETTER_ID.test(cursor)) throw new OperationError('QueueInvalidArgument', `"${cursor}" is no cursor of this store`);
    const { letters, more } = await this.find({ order: 'new', selection, limit, after: cursor ?? '' });
    const items = letters.map(({ text: _text, ...letter }) => letter);
    const last = items.at(-1);
    return more && last ? { items, cursor: last.id } : { items };
  }

  async counts(): Promise<readonly (SubscriptionKey & { readonly count: number })[]> {
    return sumsOf(await this.indexes({})).map(({ step, topic, count }) => ({ step, topic, count }));
  }

  async redrive({ selection, step, data, limit, now }: Redrive): Promise<number> {
    const { work } = this;
    let [all, after] = [0, ''];
    await work.reload();
    for (let more = true; more && all < limit;) {
      const found = await this.find({ order: 'old', selection, limit: PORTION, after });
      all += await work.current(() => {
        const chosen = found.letters.filter(({ deadAt }) => deadAt <= now).flatMap((letter): [StoredLetter, Subscription][] => {
          const target = work.list.get({ step: step ?? letter.step, topic: letter.topic });
          return target && !target.retired ? [[letter, target]] : [];
        }).slice(0, limit - all);
        if (chosen.length === 0) return Promise.resolve(0);
        return work.run<number | null>(REDRIVE, [work.list.version, ...chosen.flatMap(([letter, target]) => this.backOf(letter, target, data))]);
      });
      after = found.letters.at(-1)?.id ?? '';
      more = found.more;
    }
    if (all > 0) {
      await work.look();
      work.store.notify('due', work.list.living.map(({ number }) => String(number)));
    }
    return all;
  }

  async discard(selection: DeadLetterSelection, limit: number): Promise<number> {
    let all = 0;
    for (let more = true; more && all < limit;) {
      const found = await this.find({ order: 'old', selection, limit: Math.min(PORTION, limit - all), after: '' });
      const gone = found.letters.length > 0 ? await this.work.run<readonly string[]>(DISCARD, found.letters.map(({ id }) => id)) : [];
      all += gone.length;
      more = found.more;
    }
    return all;
  }

  /** Removes the oldest of each subscription that has more than `most`, not counting those that were retired. Gives the index of each that went. */
  async discardBeyond(most: number): Promise<readonly string[]> {
    const indexes = (await this.indexes({})).filter(({ reason }) => reason !== 'subscription_retired');
    const gone: string[] = [];
    for (const { step, topic, count } of sumsOf(indexes)) {
      const own = indexes.filter((index) => index.step === step && index.topic === topic).map(({ name }) => name);
      for (let excess = count - most; excess > 0;) {
        const reply = await this.work.run<readonly (string | number)[]>(LETTERS, ['old', Math.min(PORTION, excess), '', own.length, ...own]);
        const ids = Array.from({ length: (reply.length - 1) / 4 }, (_, index) => String(reply[4 * index]));
        if (ids.length === 0) break;
        gone.push(...await this.work.run<readonly string[]>(DISCARD, ids));
        excess -= ids.length;
      }
    }
    return gone;
  }

  private async find({ order, selection, limit, after }: Query): Promise<{ readonly letters: readonly StoredLetter[]; readonly more: boolean }> {
    const indexes = (await this.indexes(selection)).map(({ name }) => name);
    const ids = selection.ids?.filter((id) => LETTER_ID.test(id));
    if (indexes.length === 0 || ids?.length === 0) return { letters: [], more: false };
    const reply = await this.work.run<readonly (string | number)[]>(LETTERS, [order, limit, after, indexes.length, ...indexes, ...ids ?? []]);
    const letters = Array.from({ length: (reply.length - 1) / 4 }, (_, index) => this.letterOf(reply.slice(4 * index, 4 * index + 4).map(String)));
    return { letters, more: reply.at(-1) === 1 };
  }

  private async indexes({ step, topic, reason }: DeadLetterSelection): Promise<readonly Index[]> {
    const all = pairsOf((await this.work.run<readonly (string | number)[]>(LETTER_INDEXES, [])).map(String)).map(([name, count]): Index => {
      const at = name.indexOf(' ');
      return { name, reason: name.slice(0, at) as DeadLetterReason, ...keyOf(name.slice(at + 1)), count: Number(count) };
    });
    return all.filter((one) => one.step === (step ?? one.step) && one.topic === (topic ?? one.topic) && one.reason === (reason ?? one.reason));
  }

  private letterOf([id = '', head = '', progress = '', text = '']: readonly string[]): StoredLetter {
    const { time } = this.work;
    const [, at, reason, key = ''] = /^(-?\d+) (\S+) (.*)$/.exec(head) ?? [];
    const { hops: _hops, ...message } = messageOf(text, time);
    return { id, ...keyOf(key), reason: reason as DeadLetterReason, deadAt: time.fromStore(Number(at)), ...message, progress: progressOf(progress), text };
  }

  private backOf(letter: StoredLetter, { number, stored: { delayMs } }: Subscription, data: string | undefined): Arg[] {
    const { time } = this.work;
    const { messageId: id, kind, headers, traceparent, enqueuedAt, groupId } = letter;
    const text = messageText({ id, kind, headers, traceparent, enqueuedAt, groupId, data: data ?? letter.data, hops: 0 }, time);
    return [letter.id, number, delayMs > 0 ? time.toStore(enqueuedAt + delayMs) : '', text];
  }
}

/** How many there are of each subscription, in the order of names. */
function sumsOf(indexes: readonly Index[]): readonly Index[] {
  const sums = new Map<string, Index>();
  for (const index of indexes) {
    const key = JSON.stringify([index.step, index.topic]);
    sums.set(key, { ...index, count: index.count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
