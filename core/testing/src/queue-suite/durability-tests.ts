import { expect } from 'chai';
import { killedAfter } from '../suite/killed-process.js';
import { storeOpeningTests } from '../suite/store-opening-tests.js';
import { held, type QueueTests, QueueUnderTest, subscriptionOf } from './queue-under-test.js';

const CHILD = new URL('./kill-consumer-child.js', import.meta.url);
const isEnqueued = (report: string): boolean => report === 'enqueued';

/** What survives, as declared: both ways. */
export function durabilityTests({ suite, withFresh, declared }: QueueTests): void {
  const { durable } = declared;
  suite.test(`keeps ${durable ? 'everything' : 'nothing'} over a restart`, () => withFresh(async (queue) => {
    await queue.put(subscriptionOf('a', 't', { paused: true }), subscriptionOf('b', 't'));
    const ids = await queue.enqueue({ headers: '{"h":"v"}', hops: 2 }, {}, {}, { topic: 'nobody' });
    const claims = await queue.claim('b');
    await queue.done(held(claims[0]));
    await queue.giveBack(held(claims[1]), undefined, { attempts: 1, deaths: 1, history: '["e"]' });
    await queue.restart();
    if (!durable) {
      expect([await queue.adapter.subscriptions(), await queue.adapter.unrouted(), await queue.letters()]).to.deep.equal([[], [], []]);
      return;
    }
    expect(await queue.adapter.subscriptions()).to.have.deep.members([subscriptionOf('a', 't', { paused: true }), subscriptionOf('b', 't')]);
    expect(await queue.done(held(claims[2])), 'the claim of an engine that is gone').to.deep.equal([false]);
    const again = await queue.claim('b');
    expect(again.map(({ messageId, progress }) => [messageId, progress])).to.deep.equal([
      [ids[1], { attempts: 1, deaths: 1, history: '["e"]' }], [ids[2], held(claims[2]).progress],
    ]);
    await queue.put(subscriptionOf('a', 't'));
    const all = await queue.claim('a');
    expect(all.map(({ messageId }) => messageId)).to.deep.equal(ids.slice(0, 3));
    expect(all[0]).to.include({ headers: '{"h":"v"}', hops: 2 });
    expect(await queue.adapter.unrouted()).to.deep.equal([{ topic: 'nobody', count: 1, oldest: queue.clock.now() }]);
    const [later] = await queue.enqueue({});
    expect(await queue.claimIds('a')).to.deep.equal([later]);
  }));
}

/** What a killed engine leaves. */
export function killTests({ suite, withFresh, declared }: QueueTests): void {
  const { durable } = declared;
  if (!durable) return;
  suite.test('loses no acknowledged message and keeps the order when its process is killed', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a', 'b');
    await queue.stop();
    let enqueued = 0;
    for (const round of [1, 2, 3]) {
      const reports = await killedAfter(60 * round, CHILD, { ...queue.options, round }, isEnqueued);
      const { length: acknowledged } = reports.filter(isEnqueued);
      enqueued += acknowledged;
      await queue.clock.advance(declared.takeOverMs);
      await queue.start();
      // The process goes on until the kill reaches it: more than was reported may be there.
      const there = await queue.adapter.peek({ step: 'b', topic: 't' }, acknowledged + 1_000);
      const numbers = there.filter(({ messageId }) => messageId.startsWith(`r${round}-`)).map(({ data }) => Number(data));
      expect(numbers.length, 'acknowledged').to.be.at.least(acknowledged);
      expect(numbers).to.deep.equal(numbers.map((_, index) => index + 1));
      const [a, b] = [await queue.statisticsOf('a'), await queue.statisticsOf('b')];
      expect(a?.waiting, 'settled').to.be.at.most((b?.waiting ?? 0) - (reports.length - acknowledged));
      expect(a?.active).to.equal(0);
      for (const step of ['a', 'b']) await queue.adapter.purge({ step, topic: 't' });
      await queue.stop();
    }
    expect(enqueued).to.be.at.least(180);
  }));
}

/** Who may open a store, and what cannot be opened. */
export function openingTests(tests: QueueTests): void {
  storeOpeningTests(tests, QueueUnderTest, {
    write: (queue) => queue.subscribe('t', 'a'),
    check: async (queue) => {
      expect(await queue.adapter.subscriptions()).to.have.length(1);
    },
  });
}
