import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueAdapter, QueueDelivery } from '@treadle/api';
import { KEY, LONG_MS, messageOf } from './queue-engines.js';

/** What an engine has had acknowledged and delivered. */
interface Engine {
  readonly queue: QueueAdapter;
  enqueued: number;
  delivered: number;
}

/** Producers and consumers of several engines on a store that fails now and then, and what they were told. */
export class WorkUnderKills {
  readonly acknowledged = new Set<string>();
  /** Delivered again after their end was acknowledged. */
  readonly undead = new Set<string>();
  ended = false;
  /** The longest an enqueue took that failed; milliseconds. */
  longestFailureMs = 0;
  private readonly seen = new Set<string>();
  private readonly engines: readonly Engine[];
  private readonly done = new Set<string>();
  private ending = false;
  private producing: Promise<unknown> | undefined;

  constructor(queues: readonly QueueAdapter[]) {
    this.engines = queues.map((queue) => ({ queue, enqueued: 0, delivered: 0 }));
  }

  /** Acknowledged and not delivered. */
  get left(): string[] {
    return [...this.acknowledged].filter((id) => !this.seen.has(id));
  }

  /** What tells, from now on, whether each engine has had a message acknowledged and a delivery. */
  goesOn(): () => boolean {
    const before = this.engines.map((engine) => ({ engine, enqueued: engine.enqueued, delivered: engine.delivered }));
    return () => before.every(({ engine, enqueued, delivered }) => engine.enqueued > enqueued && engine.delivered > delivered);
  }

  /** Until it has `ended`. */
  async run(): Promise<void> {
    this.producing = Promise.all(this.engines.flatMap((engine) => [this.produce(engine), this.produce(engine)]));
    await Promise.all([this.producing, ...this.engines.map((engine) => this.consume(engine))]);
  }

  /** Nothing new: no enqueue is under way any more when it resolves. */
  async endProducing(): Promise<void> {
    this.ending = true;
    await this.producing;
  }

  private async produce(engine: Engine): Promise<void> {
    while (!this.ending && !this.ended) {
      const [message, began] = [messageOf({}), performance.now()];
      const outcomes = await engine.queue.enqueueMany([[message]], { maxWaiting: 1_000_000 }).catch(() => {
        this.longestFailureMs = Math.max(this.longestFailureMs, performance.now() - began);
        return pause();
      });
      if (!outcomes?.[0]?.ok) continue;
      this.acknowledged.add(message.id);
      engine.enqueued += 1;
    }
  }

  private async consume(engine: Engine): Promise<void> {
    const { queue } = engine;
    while (!this.ended) {
      const claims = await queue.claimMany([{ ...KEY, max: 20 }], LONG_MS).catch(pause) ?? [];
      engine.delivered += claims.length;
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
