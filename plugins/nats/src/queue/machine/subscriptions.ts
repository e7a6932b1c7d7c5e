import type { DeclaredSubscription, NewMessage, QueueExpired, SubscriptionKey } from '@treadle/api';
import { textOf, type Unrouted } from './delivery.js';
import { SubscriptionQueue } from './subscription-queue.js';

/** All subscriptions, and what waits for one. */
export class Subscriptions {
  readonly byKey = new Map<string, SubscriptionQueue>();
  readonly unrouted = new Map<string, Unrouted[]>();
  /** Changes with what engines are told of. */
  version = 0;
  private byTopic: Map<string, SubscriptionQueue[]> | undefined;

  get(key: SubscriptionKey): SubscriptionQueue | undefined {
    return this.byKey.get(textOf(key));
  }

  living(key: SubscriptionKey): SubscriptionQueue | undefined {
    const found = this.get(key);
    return found?.retired === false ? found : undefined;
  }

  /** Those that get a message now. */
  of({ topic, to }: Pick<NewMessage, 'topic' | 'to'>): readonly SubscriptionQueue[] {
    if (to === undefined) return (this.byTopic ??= this.listed()).get(topic) ?? [];
    const target = this.living({ step: to, topic: '' });
    return target ? [target] : [];
  }

  /** Creates or replaces them; new ones, and those that were retired, get what lies unrouted for their topic. Gives what was moved so, and how often. */
  put(wanted: readonly DeclaredSubscription[], member: string, now: number): readonly { readonly message: Unrouted; readonly times: number }[] {
    const fresh: SubscriptionQueue[] = [];
    for (const one of wanted) {
      const known = this.get(one);
      const stored = { ...one, paused: known?.retired === false && known.stored.paused };
      const queue = known ?? new SubscriptionQueue(stored);
      if (!known || known.retired) fresh.push(queue);
      const turned = queue.stored.fifo !== stored.fifo;
      Object.assign(queue, { stored, retired: false });
      if (turned) queue.arrange();
      queue.votes.set(member, 0);
      this.byKey.set(textOf(stored), queue);
    }
    this.changed();
    return this.route(fresh, now);
  }

  /** Takes a retired one away once nothing of it is left. */
  forget(queue: SubscriptionQueue): void {
    if (!queue.retired || queue.deliveries.size > 0) return;
    this.byKey.delete(textOf(queue.stored));
    this.changed();
  }

  keepUnrouted(topic: string, message: Unrouted): void {
    const kept = this.unrouted.get(topic);
    if (kept) kept.push(message);
    else this.unrouted.set(topic, [message]);
  }

  takeUnrouted(topic: string): readonly Unrouted[] {
    const kept = this.unrouted.get(topic) ?? [];
    this.unrouted.delete(topic);
    return kept;
  }

  /** Takes what is older. */
  expireUnrouted(before: number): { readonly gone: readonly Unrouted[]; readonly counts: QueueExpired['unrouted'] } {
    const all: Unrouted[] = [];
    const counts = [...this.unrouted].flatMap(([topic, kept]) => {
      const gone = kept.filter(({ enqueuedAt }) => enqueuedAt < before);
      if (gone.length === kept.length) this.unrouted.delete(topic);
      else if (gone.length > 0) this.unrouted.set(topic, kept.filter(({ enqueuedAt }) => enqueuedAt >= before));
      all.push(...gone);
      return gone.length > 0 ? [{ topic, count: gone.length }] : [];
    });
    return { gone: all, counts };
  }

  changed(): void {
    this.version += 1;
    this.byTopic = undefined;
  }

  private route(fresh: readonly SubscriptionQueue[], now: number): readonly { readonly message: Unrouted; readonly times: number }[] {
    const topics = new Set(fresh.map(({ stored }) => stored.topic));
    return [...topics].flatMap((topic) => {
      const targets = fresh.filter(({ stored }) => stored.topic === topic);
      return this.takeUnrouted(topic).map((message) => {
        for (const target of targets) target.add(message, now);
        return { message, times: targets.length };
      });
    });
  }

  private listed(): Map<string, SubscriptionQueue[]> {
    const found = new Map<string, SubscriptionQueue[]>();
    for (const queue of this.byKey.values()) {
      const { retired, stored: { topic } } = queue;
      if (!retired) found.set(topic, [...found.get(topic) ?? [], queue]);
    }
    return found;
  }
}
