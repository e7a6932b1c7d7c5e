import { expect } from 'chai';
import { held, FRESH, inPlace, type QueueTests, type QueueUnderTest, subscriptionOf, TRACE } from './queue-under-test.js';

/** Subscribes `a` and kills as many messages as asked. */
async function withLetters(queue: QueueUnderTest, count: number): Promise<string[]> {
  await queue.subscribe('t', 'a');
  const ids = await queue.enqueue(...Array.from({ length: count }, (_, index) => ({ data: `${index}`, headers: '{"h":"v"}', groupId: 'g', hops: 99 })));
  await queue.kill(...await queue.claim('a', count));
  return ids;
}

/** Those that nobody will try again by himself. */
export function letterTests({ suite, withFresh }: QueueTests): void {
  suite.test('keeps a dead letter with everything that it had', () => withFresh(async (queue) => {
    const [id] = await withLetters(queue, 1);
    const [letter] = await queue.letters();
    expect(letter).to.deep.include({
      step: 'a', topic: 't', reason: 'max_attempts', deadAt: queue.clock.now(), messageId: id, kind: 'queue', data: '0', headers: '{"h":"v"}',
      traceparent: TRACE, enqueuedAt: queue.clock.now(), groupId: 'g', progress: { attempts: 10, deaths: 0, history: '["no"]' },
    });
    expect(await queue.claim('a')).to.deep.equal([]);
    expect(await queue.statisticsOf('a')).to.include({ dead: 1, waiting: 0, active: 0 });
  }));

  suite.test('pages through dead letters, newest first, and selects them', () => withFresh(async (queue) => {
    const ids = await withLetters(queue, 25);
    await queue.put(subscriptionOf('a', 'u'), subscriptionOf('b', 'u'));
    await queue.enqueue({ topic: 'u' });
    await queue.retire({ step: 'a', topic: 'u' }, { step: 'b', topic: 'u' });
    expect((await queue.letters({ topic: 't' }, 10)).map(({ messageId }) => messageId)).to.deep.equal([...ids].reverse());
    expect(await queue.letters({ step: 'a' })).to.have.length(26);
    expect(await queue.letters({ step: 'a', reason: 'subscription_retired' })).to.have.length(1);
    expect(await queue.letters({ reason: 'crash_limit' })).to.deep.equal([]);
    const [one, two] = await queue.letters({ step: 'a' });
    expect(await queue.letters({ ids: [held(one).id, held(two).id, 'none'], topic: 't' })).to.deep.equal([two]);
    expect(await queue.letters({ ids: [] })).to.deep.equal([]);
    const error = await queue.adapter.deadLetters({}, { limit: 1, cursor: 'x' }).then(() => undefined, (reason: unknown) => reason);
    expect(error).to.have.property('code', 'QueueInvalidArgument');
  }));
}

/** Letters that go back. */
export function redriveTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('puts letters back at the end of the order, with id and trace, as if nobody had tried', () => withFresh(async (queue) => {
    const ids = await withLetters(queue, 3);
    const [waiting] = await queue.enqueue({});
    const [newest] = await queue.letters();
    const now = queue.clock.now();
    expect(await queue.adapter.redrive({ selection: { ids: [held(newest).id] }, limit: 10, now })).to.equal(1);
    expect(await queue.told()).to.include('a/t');
    const claims = await queue.claim('a');
    inPlace(declared, claims.map(({ messageId }) => messageId), [waiting, ids[2]]);
    expect(claims.find(({ messageId }) => messageId === ids[2])).to.deep.include({ data: '2', headers: '{"h":"v"}', traceparent: TRACE, groupId: 'g', progress: FRESH, hops: 0 });
    expect(await queue.adapter.redrive({ selection: { step: 'a' }, data: '"new"', limit: 1, now })).to.equal(1);
    const [edited] = await queue.claim('a');
    expect(edited).to.include({ messageId: ids[0], data: '"new"' });
    expect(await queue.statisticsOf('a')).to.include({ dead: 1, active: 3 });
  }));

  suite.test('leaves what died after the time of a redrive, so that one with several calls comes to an end', () => withFresh(async (queue) => {
    await withLetters(queue, 2);
    const now = queue.clock.now();
    expect(await queue.adapter.redrive({ selection: {}, limit: 10, now: now - 1 })).to.equal(0);
    expect(await queue.adapter.redrive({ selection: {}, limit: 10, now })).to.equal(2);
  }));

  suite.test('puts letters back to another Step of the topic, and leaves those without a subscription', () => withFresh(async (queue) => {
    const ids = await withLetters(queue, 4);
    await queue.retire({ step: 'a', topic: 't' });
    const now = queue.clock.now();
    expect(await queue.adapter.redrive({ selection: {}, limit: 10, now })).to.equal(0);
    await queue.subscribe('u', 'b');
    expect(await queue.adapter.redrive({ selection: {}, step: 'b', limit: 10, now })).to.equal(0);
    await queue.subscribe('t', 'b');
    expect(await queue.adapter.redrive({ selection: { step: 'a' }, step: 'b', limit: 3, now })).to.equal(3);
    expect(await queue.claimIds('b')).to.deep.equal(ids.slice(0, 3));
    await queue.put(subscriptionOf('other', 'u'));
    await queue.enqueue({ topic: 'u' });
    await queue.kill(...await queue.claim('other', 1, 'u'));
    expect(await queue.adapter.redrive({ selection: {}, limit: 1, now }), 'the letter without one comes first').to.equal(1);
  }));
}

/** Letters that go, and letters that stay. */
export function discardTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('counts dead letters, also of subscriptions that are gone', () => withFresh(async (queue) => {
    expect(await queue.adapter.deadLetterCounts()).to.deep.equal([]);
    await queue.subscribe('t', 'a', 'b', 'ab');
    await queue.enqueue({}, {});
    await queue.kill(...await queue.claim('b', 1));
    await queue.retire({ step: 'a', topic: 't' });
    if (declared.durable) await queue.restart();
    expect(await queue.adapter.deadLetterCounts()).to.have.deep.members([{ step: 'a', topic: 't', count: 2 }, { step: 'b', topic: 't', count: 1 }]);
    await queue.adapter.discard({ step: 'a' }, 10);
    expect(await queue.adapter.deadLetterCounts()).to.deep.equal([{ step: 'b', topic: 't', count: 1 }]);
  }));

  suite.test('puts a letter back once, however often it is asked at the same time', () => withFresh(async (queue) => {
    const ids = await withLetters(queue, 5);
    const ask = (): Promise<number> => queue.adapter.redrive({ selection: {}, limit: 5, now: queue.clock.now() });
    const counts = await Promise.all([ask(), ask(), queue.adapter.discard({}, 5)]);
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(5);
    const claimed = await queue.claimIds('a');
    expect(new Set(claimed).size).to.equal(claimed.length);
    expect(claimed.every((id) => ids.includes(id))).to.equal(true);
    expect(await queue.letters()).to.deep.equal([]);
  }));

  suite.test('throws selected letters away, oldest first', () => withFresh(async (queue) => {
    const ids = await withLetters(queue, 5);
    expect(await queue.adapter.discard({ step: 'b' }, 10)).to.equal(0);
    expect(await queue.adapter.discard({ step: 'a', topic: 't' }, 2)).to.equal(2);
    expect((await queue.letters()).map(({ messageId }) => messageId)).to.deep.equal(ids.slice(2).reverse());
    expect(await queue.statisticsOf('a')).to.include({ dead: 3 });
  }));

  if (!declared.durable) return;
  suite.test('keeps dead letters over a restart', () => withFresh(async (queue) => {
    await withLetters(queue, 3);
    const letters = await queue.letters();
    await queue.restart();
    expect(await queue.letters()).to.deep.equal(letters);
    expect(await queue.statisticsOf('a')).to.include({ dead: 3 });
  }));
}

/** What goes with time. */
export function expiryTests({ suite, withFresh }: QueueTests): void {
  const none = { deadBefore: 0, maxDead: 1_000_000, unroutedBefore: 0 };
  suite.test('gives up dead letters that are too old or too many, but for the number of those of retired subscriptions', () => withFresh(async (queue) => {
    await withLetters(queue, 3);
    await queue.clock.advance(1_000);
    await queue.kill(...await (async () => {
      await queue.enqueue(...Array.from({ length: 6 }, () => ({})));
      return queue.claim('a');
    })());
    await queue.subscribe('t', 'b');
    await queue.enqueue({}, {}, {});
    await queue.retire({ step: 'b', topic: 't' });
    expect(await queue.adapter.expire(none)).to.deep.equal({ dead: [], unrouted: [] });
    const before = queue.clock.now();
    expect(await queue.adapter.expire({ ...none, deadBefore: before })).to.deep.equal({ dead: [{ step: 'a', topic: 't', count: 3 }], unrouted: [] });
    const kept = (await queue.letters({ step: 'a' })).slice(0, 2);
    expect((await queue.adapter.expire({ ...none, maxDead: 2 })).dead).to.deep.equal([{ step: 'a', topic: 't', count: 4 }]);
    expect(await queue.letters({ step: 'a' })).to.deep.equal(kept);
    expect(await queue.letters({ step: 'b' })).to.have.length(3);
    expect(await queue.statisticsOf('a')).to.include({ dead: 2 });
  }));

  suite.test('gives up unrouted messages that are too old', () => withFresh(async (queue) => {
    await queue.enqueue({}, {}, { topic: 'u' });
    await queue.clock.advance(1_000);
    const [later] = await queue.enqueue({});
    const { unrouted } = await queue.adapter.expire({ ...none, unroutedBefore: queue.clock.now() });
    expect(unrouted).to.have.deep.members([{ topic: 't', count: 2 }, { topic: 'u', count: 1 }]);
    expect(await queue.adapter.unrouted()).to.deep.equal([{ topic: 't', count: 1, oldest: queue.clock.now() }]);
    await queue.subscribe('t', 'a');
    expect(await queue.claimIds('a')).to.deep.equal([later]);
  }));

  suite.test('gives up thousands', () => withFresh(async (queue) => {
    await withLetters(queue, 2_300);
    expect((await queue.adapter.expire({ ...none, maxDead: 100 })).dead).to.deep.equal([{ step: 'a', topic: 't', count: 2_200 }]);
    expect(await queue.letters({}, 1_000)).to.have.length(100);
  }));
}
