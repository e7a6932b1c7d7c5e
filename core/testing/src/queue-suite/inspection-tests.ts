import { expect } from 'chai';
import { dueLater, held, keeps, type QueueTests, subscriptionOf } from './queue-under-test.js';

/** What operators see and do. */
export function inspectionTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('counts deliveries by where they stand', () => withFresh(async (queue) => {
    await queue.put(subscriptionOf('a', 't'), subscriptionOf('empty', 'none'));
    const began = queue.clock.now();
    await queue.enqueue({}, {}, {}, {}, {}, dueLater(declared, began + 5_000));
    const [first, second, third] = await queue.claim('a', 3);
    await queue.clock.advance(10);
    await queue.giveBack(held(second), began + 1_000, { attempts: 1, deaths: 0, history: '' });
    await queue.kill(held(third));
    const [waiting, delayed] = declared.delayed ? [2, 1] : [3, 0];
    const counts = { step: 'a', topic: 't', waiting, delayed, retrying: 1, active: 1, dead: 1, oldest: began };
    expect(await queue.statisticsOf('a')).to.deep.equal(counts);
    expect(await queue.statisticsOf('empty', 'none')).to.deep.equal({ step: 'empty', topic: 'none', waiting: 0, delayed: 0, retrying: 0, active: 0, dead: 0 });
    await queue.clock.advance(990);
    expect(await queue.statisticsOf('a')).to.deep.equal({ ...counts, waiting: waiting + 1, retrying: 0 });
    if (declared.durable) {
      await queue.restart();
      expect(await queue.statisticsOf('a')).to.deep.equal({ ...counts, waiting: waiting + 2, retrying: 0, active: 0 });
    } else await queue.done(held(first));
  }));

  suite.test('shows what waits, in order, without claiming it', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const due = queue.clock.now() + 1_000;
    const ids = await queue.enqueue({}, dueLater(declared, due), {}, {});
    await queue.claim('a', 1);
    const seen = await queue.adapter.peek({ step: 'a', topic: 't' }, 3);
    expect(seen.map(({ messageId, active, dueAt }) => [messageId, active, dueAt])).to.deep.equal([[ids[0], true, undefined], [ids[1], false, declared.delayed ? due : undefined], [ids[2], false, undefined]]);
    expect(seen[1]).to.deep.include({ step: 'a', topic: 't', data: '{}', kind: 'queue', hops: 0 }).and.not.have.property('epoch');
    expect(await queue.claimIds('a')).to.deep.equal(ids.slice(declared.delayed ? 2 : 1));
    expect(await queue.adapter.peek({ step: 'nobody', topic: 't' }, 3)).to.deep.equal([]);
  }));
}

/** What waits, page by page. */
export function pageTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test(keeps(declared, 'pages') ? 'shows what waits page by page, whether or not the end of a page is there still' : 'shows the head of what waits alone', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a', 'b');
    const ids = await queue.enqueue({}, {}, {}, {}, {});
    const key = { step: 'a', topic: 't' };
    const first = await queue.adapter.peek(key, 2);
    expect(first.map(({ messageId }) => messageId)).to.deep.equal(ids.slice(0, 2));
    for (const claimed of await queue.claim('a', 2)) await queue.done(claimed);
    const rest = await queue.adapter.peek(key, 2, first[1]?.deliveryId);
    const end = await queue.adapter.peek(key, 10, rest.at(-1)?.deliveryId ?? first[1]?.deliveryId);
    expect([...rest, ...end].map(({ messageId }) => messageId)).to.deep.equal(keeps(declared, 'pages') ? ids.slice(2) : []);
    if (end.length > 0) expect(await queue.adapter.peek(key, 10, end.at(-1)?.deliveryId)).to.deep.equal([]);
  }));
}

/** What an adapter claims before it is asked to is removed as well. */
export function purgeAfterClaimsTests({ suite, withFresh }: QueueTests): void {
  suite.test('removes what waits right after calls that claimed many', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    await queue.enqueue(...Array.from({ length: 1_200 }, () => ({})));
    let claimed = 0;
    for (let call = 0; call < 4; call += 1) claimed += (await queue.claim('a', 100)).length;
    expect(await queue.adapter.purge({ step: 'a', topic: 't' })).to.equal(1_200 - claimed);
    expect(await queue.statisticsOf('a')).to.include({ waiting: 0, active: claimed });
    await queue.clock.advance(1_000);
    expect(await queue.claim('a')).to.deep.equal([]);
  }));
}

/** What operators remove. */
export function purgeTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('removes what waits and leaves what is claimed', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a', 'b');
    await queue.enqueue(...Array.from({ length: 2_300 }, () => ({})), dueLater(declared, queue.clock.now() + 100));
    const delayed = declared.delayed ? 1 : 0;
    const [first, second] = await queue.claim('a', 2);
    const purging = queue.adapter.purge({ step: 'a', topic: 't' });
    const during = queue.giveBack(held(first));
    const [later] = await queue.enqueue({});
    expect(await purging).to.equal(2_299);
    await during;
    expect(await queue.statisticsOf('a')).to.include({ waiting: 2, delayed: 0, active: 1 });
    expect(await queue.statisticsOf('b')).to.include({ waiting: 2_302 - delayed, delayed });
    expect(await queue.claimIds('a')).to.deep.equal([held(first).messageId, later]);
    expect(await queue.done(held(second))).to.deep.equal([true]);
    expect(await queue.adapter.purge({ step: 'nobody', topic: 't' })).to.equal(0);
    await queue.clock.advance(100);
    expect(await queue.claim('a')).to.deep.equal([]);
  }));

  suite.test('removes what lies unrouted in a topic', () => withFresh(async (queue) => {
    await queue.enqueue(...Array.from({ length: 1_200 }, () => ({})), { topic: 'u' });
    const now = queue.clock.now();
    expect(await queue.adapter.purge({ step: '', topic: 't' })).to.equal(1_200);
    expect(await queue.adapter.unrouted()).to.deep.equal([{ topic: 'u', count: 1, oldest: now }]);
    expect(await queue.adapter.purge({ step: '', topic: 'never' })).to.equal(0);
    const ids = await queue.enqueue({});
    await queue.subscribe('t', 'a');
    expect(await queue.adapter.purge({ step: '', topic: 't' })).to.equal(0);
    expect(await queue.claimIds('a')).to.deep.equal(ids);
  }));

  suite.test('counts against the limit what is not settled, claimed or not', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    expect(await queue.enqueueBatch([{}, {}], 2)).to.have.property('ok', true);
    const [claim] = await queue.claim('a', 1);
    expect(await queue.enqueueBatch([{}], 2)).to.deep.equal({ ok: false, full: { step: 'a', topic: 't' } });
    await queue.done(held(claim));
    expect(await queue.enqueueBatch([{}], 2)).to.have.property('ok', true);
  }));
}
