import type { Logger, NewMessage, QueueDelivery } from '@treadle/api';
import { eventually, type FakeClock, fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { PgStore } from '../store/pg-store.js';
import { freshConfig, withServer } from '../testing/kit.fixture.js';
import { QueueStore } from './queue-store.js';

const KEY = { step: 'a', topic: 't' };
const LEASE_MS = 60_000;
const MESSAGES = 1_200;
const QUIET: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => QUIET };

/** An engine whose clock stands still, so that it always comes back at once, and what lies in the store. */
interface Bench {
  readonly clock: FakeClock;
  readonly store: PgStore;
  readonly queue: QueueStore;
  claim(): Promise<readonly QueueDelivery[]>;
  /** How many are claimed in the store. */
  claimed(): Promise<number>;
}

async function bench(body: (given: Bench) => Promise<void>): Promise<void> {
  const { config, cleanup } = await freshConfig();
  const clock = fakeClock(Date.now());
  const store = await PgStore.open({ config, clock, log: QUIET, engine: 'e' });
  const queue = await QueueStore.open(store, clock, QUIET);
  try {
    await queue.changeSubscriptions([{ action: 'put', subscription: { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
    const message = (n: number): NewMessage => ({ id: `m${n}`, topic: 't', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: clock.now() });
    await queue.enqueuer.enqueueMany(Array.from({ length: MESSAGES }, (_, n) => [message(n)]), { maxWaiting: 10_000 });
    await body({
      clock, store, queue,
      claim: () => queue.claimer.claimMany([{ ...KEY, max: 100, total: undefined }], LEASE_MS),
      claimed: async () => (await store.connections.rows('SELECT 1 FROM queue_deliveries WHERE state = 3')).length,
    });
  } finally {
    await queue.close();
    await store.close();
    await cleanup();
  }
}

withServer.describe('claims ahead of the queue on PostgreSQL', () => {
  withServer.it('go back at once when the queue closes, also while other adapters keep the store', () => bench(async ({ queue, claim, claimed }) => {
    const taken = [...await claim(), ...await claim()];
    expect(await claimed()).to.be.above(taken.length);
    await queue.close();
    expect(await claimed()).to.equal(taken.length);
  }));

  withServer.it('are purged, also those that are being claimed', () => bench(async ({ queue, claim, claimed }) => {
    const taken = [...await claim(), ...await claim(), ...await claim(), ...await claim()];
    expect(await queue.expirer.purge(KEY)).to.equal(MESSAGES - taken.length);
    expect(await claimed()).to.equal(taken.length);
    expect(await claim()).to.deep.equal([]);
  }));

  withServer.it('of a paused subscription are not handed out, and wait when it goes on', () => bench(async ({ clock, queue, claim, claimed }) => {
    const taken = [...await claim(), ...await claim(), ...await claim(), ...await claim()];
    await queue.changeSubscriptions([{ action: 'pause', key: KEY, paused: true }]);
    expect(await claim()).to.deep.equal([]);
    const later = async (): Promise<number> => {
      await clock.advance(50);
      return claimed();
    };
    await eventually('nothing claimed ahead', later, (count) => count === taken.length, 30_000);
    await queue.changeSubscriptions([{ action: 'pause', key: KEY, paused: false }]);
    expect((await claim()).map(({ messageId }) => messageId)).to.deep.equal(Array.from({ length: 100 }, (_, n) => `m${400 + n}`));
  }));

  withServer.it('are not handed out by the member that others took for gone', () => bench(async ({ store, claim, claimed }) => {
    const taken = [...await claim(), ...await claim()];
    expect(await claimed()).to.be.above(taken.length);
    const { member } = store.members;
    await store.connections.rows('SELECT member_end($1, false)', [member]);
    await store.members.join();
    const again = await claim();
    expect(again.map(({ epoch }) => Number(epoch.split('.')[0])).every((one) => one === store.members.member)).to.equal(true);
    expect(again).to.have.length(100);
  }));
});

withServer.describe('subscriptions of the queue on PostgreSQL', () => {
  const OTHERS = "WITH s AS (UPDATE queue_subscriptions SET paused = false WHERE step = 'a') UPDATE queue_version SET version = version + 1 RETURNING version";
  /** Changed by another engine whose notice is lost, then read on the way by `read`. */
  const change = (read: (given: Bench) => Promise<unknown>) => (): Promise<void> => bench(async (given) => {
    const { store, queue } = given;
    await queue.changeSubscriptions([{ action: 'pause', key: KEY, paused: true }]);
    const told = new Set<boolean | undefined>();
    queue.onSubscriptions(() => void told.add(queue.work.list.get(KEY)?.stored.paused));
    const [{ version } = { version: 0 }] = await store.connections.rows<{ version: number }>(OTHERS);
    await read(given);
    expect(queue.work.list.version).to.be.at.least(version);
    await eventually('a listener that was told', () => told.has(false), Boolean, 60_000);
  });

  withServer.it('are told when another engine has changed them, also where a write has read them since', change(async ({ clock, queue }) => {
    const message: NewMessage = { id: 'last', topic: 't', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: clock.now() };
    expect(await queue.enqueuer.enqueueMany([[message]], { maxWaiting: 10_000 })).to.have.nested.property('0.ok', true);
  }));

  withServer.it('are told when another engine has changed them, also where an own change has read them since', change(({ queue }) => (
    queue.changeSubscriptions([{ action: 'pause', key: { step: 'b', topic: 't' }, paused: true }]))));

  withServer.it('that this engine alone has changed let what is claimed ahead lie', () => bench(async ({ store, queue, claim, claimed }) => {
    let told = 0;
    queue.onSubscriptions(() => { told += 1; });
    await queue.changeSubscriptions([{ action: 'put', subscription: { step: 'b', topic: 'u', application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
    await queue.changeSubscriptions([{ action: 'retire', key: { step: 'b', topic: 'u' }, afterMs: 0 }]);
    const taken = [...await claim(), ...await claim()];
    let beats = 0;
    const unlisten = store.listen({ beat: () => Promise.resolve(void (beats += 1)) });
    await eventually('two beats of the store', () => beats >= 2, Boolean, 60_000);
    unlisten();
    expect([await claimed() > taken.length, told]).to.deep.equal([true, 0]);
  }));
});
