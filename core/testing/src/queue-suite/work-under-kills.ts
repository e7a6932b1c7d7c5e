import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueAdapter, QueueDelivery } from '@treadle/api';
import { KEY, LONG_MS, messageOf } from './queue-engines.js';

/** Producers and consumers of several engines on a store that fails now and then, and what they were told. */
export class WorkUnderKills {
  readonly acknowledged = new Set<string>();
  /** Delivered again after their end was acknowledged. */
  readonly undead = new Set<string>();
  /** Nothing new. */
  ending = false;
  ended = false;
  private readonly seen = new Set<string>();
  private readonly done = new Set<string>();

  constructor(private readonly queues: readonly QueueAdapter[]) {}

  /** Acknowledged and not delivered. */
  get left(): string[] {
    return [...this.acknowledged].filter((id) => !this.seen.has(id));
  }

  /** Until it has `ended`. */
  async run(): Promise<void> {
    await Promise.all(this.queues.flatMap((queue) => [this.produce(queue), this.produce(queue), this.consume(queue)]));
  }

  private async produce(queue: QueueAdapter): Promise<void> {
    while (!this.ending && !this.ended) {
      const message = messageOf({});
      const outcomes = await queue.enqueueMany([[message]], { maxWaiting: 1_000_000 }).catch(pause);
      if (outcomes?.[0]?.ok) this.acknowledged.add(message.id);
    }
  }

  private async consume(queue: QueueAdapter): Promise<void> {
    while (!this.ended) {
      const claims = await queue.claimMany([{ ...KEY, max: 20 }], LONG_MS).catch(pause) ?? [];
      for (const { messageId } of claims) {
        if (this.done.has(messageId)) this.undead.add(messageId);
        this.seen.add(messageId);
      }
      if (claims.length > 0) await this.settle(queue, claims);
      else await pause();
    }
  }

  /** As the queue does: until it is known. */
  private async settle(queue: QueueAdapter, claims: readonly QueueDelivery[]): Promise<void> {
    while (!this.ended) {
      const settled = await queue.settleMany(claims.map((claim) => ({ action: 'done', claim }))).catch(pause);
      if (!settled) continue;
      claims.forEach(({ messageId }, index) => settled[index] && this.done.add(messageId));
      return;
    }
  }
}

async function pause(): Promise<undefined> {
  await sleep(20);
  return undefined;
}
