import { setImmediate as turn } from 'node:timers/promises';
import type { NewMessage } from '@treadle/api';
import { fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import type { RedisStore } from '../store/redis-store.js';
import type { Script } from '../store/script.js';
import { Enqueuer } from './enqueuer.js';
import { QueueWork } from './queue-work.js';
import { LIST } from './subscription-scripts.js';

const LIMITS = { maxWaiting: 100 };

/** Carries out at once what is sent, and answers, in the same order, when the test says so. */
class SlowStore {
  /** Of its list of subscriptions; scripts that go by another one are refused. */
  version = 1;
  /** How many messages each script has stored. */
  readonly stored: number[] = [];
  readonly time = { toStore: (at: number) => at, fromStore: (at: number) => at, now: () => 0 };
  private readonly answers: (() => void)[] = [];

  run(script: Script, _keys: readonly string[], args: readonly unknown[]): Promise<unknown> {
    const answer = script === LIST ? [String(this.version), [], []] : this.store(args);
    return new Promise((resolve) => void this.answers.push(() => resolve(answer)));
  }

  notify(): void {}

  /** Gives the oldest answer. False: there is none. */
  async answer(): Promise<boolean> {
    const next = this.answers.shift();
    next?.();
    await turn();
    return next !== undefined;
  }

  private store([version, messages]: readonly unknown[]): readonly number[] | null {
    if (version !== this.version) return null;
    this.stored.push(messages as number);
    return [1];
  }
}

const toNobody = (id: string): NewMessage => ({ id, topic: '', to: 'nobody', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: 0 });

describe('calls to enqueue on Redis', () => {
  it('are carried out in their order when the first one has gone by a list of subscriptions that has changed', async () => {
    const store = new SlowStore();
    const work = new QueueWork(store as unknown as RedisStore, fakeClock());
    const enqueuer = new Enqueuer(work);
    const [known] = [work.reload(), await store.answer()];
    await known;
    store.version = 2;
    const reloaded = work.reload();
    const first = enqueuer.enqueueMany([[toNobody('m1')]], LIMITS);
    await turn();
    await store.answer();
    await reloaded;
    const second = enqueuer.enqueueMany([[toNobody('m2'), toNobody('m3')]], LIMITS);
    await turn();
    while (await store.answer());
    expect(await Promise.all([first, second])).to.deep.equal([[{ ok: true, ids: ['m1'] }], [{ ok: true, ids: ['m2', 'm3'] }]]);
    expect(store.stored).to.deep.equal([1, 2]);
  });
});
