import type { QueueExpired, QueueExpiry, SubscriptionKey } from '@treadle/api';
import type { DeadLetters } from './dead-letters.js';
import { EXPIRE_LETTERS, EXPIRE_UNROUTED, FORGET_USED, PURGE } from './operator-scripts.js';
import type { QueueWork } from './queue-work.js';
import { keyOf } from './subscription-list.js';
import { FORGET_VOTES } from './subscription-scripts.js';

/** Rows of one call. */
const PORTION = 500;

/** What goes with time. */
export class QueueExpirer {
  constructor(private readonly work: QueueWork, private readonly letters: DeadLetters) {}

  async expire({ deadBefore, maxDead, unroutedBefore }: QueueExpiry): Promise<QueueExpired> {
    const dead = [...await this.old(deadBefore), ...await this.letters.discardBeyond(maxDead)];
    return { dead: counted(dead), unrouted: await this.unrouted(unroutedBefore) };
  }

  /** Removes what waits and says how many; with an empty Step what lies unrouted. */
  async purge(key: SubscriptionKey): Promise<number> {
    const found = this.work.list.get(key);
    if (!found) return 0;
    let [all, after, last] = [0, '', ''];
    do {
      const [count, next, end] = await this.work.run<readonly [number, string, string]>(PURGE, [found.number, after, last, PORTION]);
      [all, after, last] = [all + count, next, end];
    } while (after !== '');
    return all;
  }

  /** Forgets keys that may be used again, and votes that count nowhere any more. */
  async forget(): Promise<void> {
    while (await this.work.run<number>(FORGET_USED, [PORTION]) === PORTION);
    const { list } = this.work;
    if (list.living.length > 0) await this.work.run(FORGET_VOTES, list.living.map(({ number }) => number));
  }

  /** Gives the indexes of the letters that went. */
  private async old(deadBefore: number): Promise<readonly string[]> {
    const all: string[] = [];
    for (;;) {
      const indexes = await this.work.run<readonly string[]>(EXPIRE_LETTERS, [this.work.time.toStore(deadBefore), PORTION]);
      all.push(...indexes);
      if (indexes.length < PORTION) return all;
    }
  }

  private async unrouted(unroutedBefore: number): Promise<QueueExpired['unrouted']> {
    const { work } = this;
    await work.reload();
    const gone: { readonly topic: string; readonly count: number }[] = [];
    for (const { number, stored: { topic } } of work.list.unrouted) {
      let all = 0;
      for (let more = true; more;) {
        const [count, again] = await work.run<readonly [number, number]>(EXPIRE_UNROUTED, [number, work.time.toStore(unroutedBefore), PORTION]);
        all += count;
        more = again === 1;
      }
      if (all > 0) gone.push({ topic, count: all });
    }
    return gone;
  }
}

/** @param indexes names of indexes of dead letters, one for each letter */
function counted(indexes: readonly string[]): (SubscriptionKey & { readonly count: number })[] {
  const counts = new Map<string, number>();
  for (const index of indexes) {
    const key = index.slice(index.indexOf(' ') + 1);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => ({ ...keyOf(key), count }));
}
