import { type Clock, DueClock, OperationError, type StoreClock, type SubscriptionKey } from '@treadle/api';
import type { Arg } from '../store/connection.js';
import type { RedisStore } from '../store/redis-store.js';
import type { Script } from '../store/script.js';
import { LIST } from './subscription-scripts.js';
import { type ListReply, SubscriptionList } from './subscription-list.js';
import { LOOK } from './work-scripts.js';

/** How soon a claim that was limited for the sake of other engines is tried again; milliseconds. */
const AGAIN_MS = 10;
/** Subscriptions of one call. */
const PORTION = 200;
/** Lists in a row that were old when they were used. */
const TRIES = 100;

/** What the parts of the queue have in common. */
export class QueueWork {
  readonly due: DueClock;
  list = new SubscriptionList(-1, []);
  private readonly listeners = new Set<(key: SubscriptionKey) => void>();
  private readonly again = new Set<number>();

  constructor(readonly store: RedisStore, readonly clock: Clock) {
    this.due = new DueClock(clock, store.time, (subs) => this.fallenDue(subs));
  }

  get time(): StoreClock {
    return this.store.time;
  }

  get member(): number {
    return this.store.members.member;
  }

  run<T>(script: Script, args: readonly Arg[]): Promise<T> {
    return this.store.run(script, [], args) as Promise<T>;
  }

  /** A script whose arguments are subscriptions and which gives `width` values of each; portion by portion. */
  async ofEach<T>(script: Script, subs: readonly number[], width: number): Promise<(readonly T[])[]> {
    const found: (readonly T[])[] = [];
    for (let at = 0; at < subs.length; at += PORTION) {
      const portion = subs.slice(at, at + PORTION);
      const flat = await this.run<readonly T[]>(script, portion);
      portion.forEach((_, index) => found.push(flat.slice(index * width, (index + 1) * width)));
    }
    return found;
  }

  /** Reads the subscriptions again. The last answer is the newest, whatever its version: a server that has lost what came last has a lower one. */
  async reload(): Promise<void> {
    this.list = SubscriptionList.of(await this.run<ListReply>(LIST, []));
  }

  onDue(listener: (key: SubscriptionKey) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Something can be claimed: says so here, and to other engines when it is news of this one. */
  wake(subs: Iterable<number>, toOthers: boolean): void {
    const all = new Set(subs);
    if (all.size === 0) return;
    if (toOthers) this.store.notify('due', [...all].map(String));
    for (const sub of all) this.tell(sub);
  }

  /** Something can be claimed that this engine was not to take yet. */
  wakeLater(sub: number): void {
    if (this.again.size === 0) {
      this.clock.after(AGAIN_MS, () => {
        const subs = [...this.again];
        this.again.clear();
        this.wake(subs, false);
      });
    }
    this.again.add(sub);
  }

  /** Looks what can be claimed, and when more is due; whatever others have done is seen here at the latest. */
  async look(): Promise<void> {
    const subs = this.list.living.filter(({ stored }) => !stored.paused).map(({ number }) => number);
    const found = await this.ofEach<number | string>(LOOK, subs, 2);
    this.wake(subs.filter((_, index) => found[index]?.[0] === 1), false);
    subs.forEach((sub, index) => this.noteDue(sub, String(found[index]?.[1] ?? '')));
  }

  /** @param due moment of the store as text, or '' */
  noteDue(sub: number, due: string): void {
    if (due !== '' && Number(due) > this.time.now()) this.due.note(sub, Number(due));
  }

  /** Repeats what says by null that it went by an old list of subscriptions. @throws an `OperationError` when each list was old again */
  async current<T>(attempt: () => Promise<T | null>): Promise<T> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const result = await attempt();
      if (result !== null) return result;
      await this.reload();
    }
    throw new OperationError('StorageFailed', `${this.store.database}: the subscriptions change faster than they can be read (${TRIES} tries)`);
  }

  close(): void {
    this.due.close();
    this.listeners.clear();
  }

  private tell(sub: number): void {
    const found = this.list.numbered(sub);
    if (!found || found.retired || found.stored.step === '') return;
    const { step, topic } = found.stored;
    for (const listener of this.listeners) listener({ step, topic });
  }

  private fallenDue(subs: readonly number[]): void {
    this.wake(subs, false);
    void this.look().catch(() => undefined);
  }
}
