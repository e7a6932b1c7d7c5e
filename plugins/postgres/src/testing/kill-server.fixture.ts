import type { NewMessage, QueueAdapter, QueueDelivery } from '@treadle/api';
import { POSTGRES_DEFAULTS } from '../store/store.config.js';
import { eventually, startEngine } from './engine.fixture.js';
import { TestServer } from './server.fixture.js';

const KEY = { step: 'a', topic: 't' };
const LEASE_MS = 60_000;

/** What became of messages over kills of the server. */
export interface KillReport {
  readonly acknowledged: number;
  /** Acknowledged and never delivered. */
  readonly lost: readonly string[];
  /** Delivered again after their end was acknowledged. */
  readonly undead: readonly string[];
  /** Delivered, but their end was not known before the kill: these come again, as promised. */
  readonly repeated: number;
}

/** Two engines work while the server is killed again and again; nothing that was acknowledged may be lost. */
export async function killServer(rounds: number): Promise<KillReport> {
  const server = await TestServer.start(['fsync=on']);
  const config = { ...POSTGRES_DEFAULTS, url: server.url };
  const engines = await Promise.all([1, 2].map(() => startEngine<QueueAdapter>('queue', config)));
  const queues = engines.map(({ adapter }) => adapter);
  const work = new Work(queues);
  try {
    await work.subscribe();
    const working = work.start();
    for (let round = 0; round < rounds; round += 1) {
      const enough = work.acknowledged.size + 100;
      await eventually('acknowledged messages', () => Promise.resolve(work.acknowledged.size), (size) => size >= enough);
      await server.crash();
      await server.resume();
    }
    work.ending = true;
    await eventually('the end of all messages', () => Promise.resolve(work.left), (left) => left.length === 0).catch(() => undefined);
    work.ended = true;
    await working;
    return { acknowledged: work.acknowledged.size, lost: work.left, undead: [...work.undead], repeated: work.repeated };
  } finally {
    work.ended = true;
    await Promise.all(engines.map((engine) => engine.stop()));
    await server.stop();
  }
}

/** Producers and consumers of two engines, and what they were told. */
class Work {
  readonly acknowledged = new Set<string>();
  readonly undead = new Set<string>();
  repeated = 0;
  /** Nothing new. */
  ending = false;
  ended = false;
  private readonly seen = new Set<string>();
  private readonly done = new Set<string>();
  private messages = 0;

  constructor(private readonly queues: readonly QueueAdapter[]) {}

  get left(): string[] {
    return [...this.acknowledged].filter((id) => !this.seen.has(id));
  }

  async subscribe(): Promise<void> {
    const subscription = { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' };
    for (const queue of this.queues) await queue.changeSubscriptions([{ action: 'put', subscription }]);
  }

  async start(): Promise<void> {
    await Promise.all(this.queues.flatMap((queue) => [this.produce(queue), this.produce(queue), this.consume(queue)]));
  }

  private async produce(queue: QueueAdapter): Promise<void> {
    while (!this.ending && !this.ended) {
      const message = this.next();
      const outcomes = await queue.enqueueMany([[message]], { maxWaiting: 1_000_000 }).catch(pause);
      if (outcomes?.[0]?.ok) this.acknowledged.add(message.id);
    }
  }

  private async consume(queue: QueueAdapter): Promise<void> {
    while (!this.ended) {
      const claims = await queue.claimMany([{ ...KEY, max: 20 }], LEASE_MS).catch(pause) ?? [];
      for (const { messageId: id } of claims) {
        if (this.done.has(id)) this.undead.add(id);
        if (this.seen.has(id)) this.repeated += 1;
        this.seen.add(id);
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

  private next(): NewMessage {
    this.messages += 1;
    return { id: `m${this.messages}`, topic: 't', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: Date.now() };
  }
}

async function pause(): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return undefined;
}
