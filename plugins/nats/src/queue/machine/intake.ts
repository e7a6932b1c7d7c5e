import type { EnqueueOutcome, SubscriptionKey } from '@treadle/api';
import type { BodyUses } from './body-uses.js';
import type { WireMessage } from './commands.js';
import { type BodyRef, refsOf } from './delivery.js';
import type { SubscriptionQueue } from './subscription-queue.js';
import type { Subscriptions } from './subscriptions.js';
import type { UsedKeys } from './used-keys.js';

/** What messages are put into. */
interface Target {
  readonly now: number;
  lastId: number;
  readonly subscriptions: Subscriptions;
  readonly keys: UsedKeys;
  readonly bodies: BodyUses;
}

/** Takes messages in: a list of them as a whole or not at all. */
export class Intake {
  constructor(private readonly queue: Target) {}

  enqueue(messages: readonly WireMessage[], max: number, bodies: readonly BodyRef[]): EnqueueOutcome {
    const planned = this.plan(messages, max);
    if (planned.ok) this.store(messages, planned.ids, bodies);
    return planned;
  }

  plan(messages: readonly WireMessage[], max: number): EnqueueOutcome {
    const fresh = new Map<string, string>();
    const ids = messages.map((message) => (this.isKept(message) ? this.queue.keys.firstId(message, this.queue.now, fresh) : message.id));
    const full = this.fullAfter(messages.filter(({ id }, index) => id === ids[index]), max);
    return full ? { ok: false, full } : { ok: true, ids };
  }

  store(messages: readonly WireMessage[], ids: readonly string[], bodies: readonly BodyRef[]): void {
    messages.forEach((message, index) => {
      if (ids[index] === message.id && this.isKept(message)) this.storeOne(message, bodies);
    });
  }

  private storeOne(message: WireMessage, bodies: readonly BodyRef[]): void {
    const { topic, enqueuedAt, groupId, dueAt = 0 } = message;
    this.queue.keys.use(message, this.queue.now);
    const kept = { id: this.queue.lastId += 1, ...refsOf(message, bodies), enqueuedAt, groupId, dueAt };
    const targets = this.queue.subscriptions.of(message);
    for (const target of targets) {
      this.queue.bodies.use(kept);
      target.add(kept, this.queue.now);
    }
    if (targets.length > 0) return;
    this.queue.bodies.use(kept);
    this.queue.subscriptions.keepUnrouted(topic, kept);
  }

  /** What is for a Step alone is dropped when that is not subscribed. */
  private isKept({ topic, to }: WireMessage): boolean {
    return to === undefined || this.queue.subscriptions.of({ topic, to }).length > 0;
  }

  private fullAfter(messages: readonly WireMessage[], max: number): SubscriptionKey | undefined {
    const sizes = new Map<SubscriptionQueue | string, number>();
    for (const message of messages) {
      const { topic, to } = message;
      const targets = this.queue.subscriptions.of(message);
      if (targets.length === 0 && to !== undefined) continue;
      for (const target of targets.length > 0 ? targets : [topic]) {
        const before = typeof target === 'string' ? this.queue.subscriptions.unrouted.get(target)?.length ?? 0 : target.deliveries.size;
        const size = (sizes.get(target) ?? before) + 1;
        sizes.set(target, size);
        if (size > max) return typeof target === 'string' ? { step: '', topic } : { step: target.stored.step, topic: target.stored.topic };
      }
    }
    return undefined;
  }
}
