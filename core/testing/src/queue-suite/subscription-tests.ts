import { expect } from 'chai';
import { asDeclared, dueLater, held, inPlace, type QueueTests, subscriptionOf } from './queue-under-test.js';

const KEY = { step: 'a', topic: 't' };

/** Who gets what, and since when. */
export function subscriptionTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('keeps subscriptions as they were put, with their deliveries', () => withFresh(async (queue) => {
    const first = subscriptionOf('a', 't', { application: 'x', ...asDeclared(declared, { delayMs: 5 }), settings: '{"a":"😀"}' });
    await queue.put(first, subscriptionOf('b', ''));
    expect(await queue.adapter.subscriptions()).to.have.deep.members([first, subscriptionOf('b', '')]);
    const ids = await queue.enqueue({});
    const changed = subscriptionOf('a', 't', { application: 'y' });
    await queue.put(changed);
    expect(await queue.adapter.subscriptions()).to.have.deep.members([changed, subscriptionOf('b', '')]);
    await queue.clock.advance(5);
    expect(await queue.claimIds('a')).to.deep.equal(ids);
  }));

  suite.test('keeps what nobody has subscribed to for those who come, all of those who come together', () => withFresh(async (queue) => {
    const now = queue.clock.now();
    const early = await queue.enqueue({}, { data: '"second"' }, { topic: 'u' });
    await queue.clock.advance(10);
    expect(await queue.adapter.unrouted()).to.have.deep.members([{ topic: 't', count: 2, oldest: now }, { topic: 'u', count: 1, oldest: now }]);
    await queue.subscribe('t', 'a', 'b');
    expect(await queue.adapter.unrouted()).to.deep.equal([{ topic: 'u', count: 1, oldest: now }]);
    expect(await queue.told()).to.include.members(['a/t', 'b/t']);
    const later = await queue.enqueue({});
    await queue.subscribe('t', 'c');
    for (const step of ['a', 'b']) expect(await queue.claimIds(step), step).to.deep.equal([...early.slice(0, 2), ...later]);
    expect(await queue.claimIds('c')).to.deep.equal([]);
  }));

  suite.test('applies delay and order of a new subscription to what lay unrouted', () => withFresh(async (queue) => {
    const ids = await queue.enqueue({}, {});
    await queue.put(subscriptionOf('a', 't', asDeclared(declared, { fifo: true, delayMs: 100 })), subscriptionOf('b', 't'));
    expect(await queue.claimIds('b')).to.deep.equal(ids);
    if (declared.delayed) expect(await queue.claim('a')).to.deep.equal([]);
    await queue.clock.advance(100);
    expect(await queue.told()).to.include('a/t');
    expect(await queue.claim('a')).to.have.length(queue.capabilities.ordering === 'per_key' ? 1 : 2);
  }));

  suite.test('refuses what is unrouted beyond the limit', () => withFresh(async (queue) => {
    expect(await queue.enqueueBatch([{}, {}], 2)).to.have.property('ok', true);
    expect(await queue.enqueueBatch([{}], 2)).to.deep.equal({ ok: false, full: { step: '', topic: 't' } });
  }));
}

/** The end of a subscription. */
export function retirementTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('makes dead letters of what waits when a subscription is retired', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a', 'b');
    const ids = await queue.enqueue({}, dueLater(declared, queue.clock.now() + 1_000), {});
    await queue.retire(KEY, { step: 'never', topic: 'was' });
    expect((await queue.adapter.subscriptions()).map(({ step }) => step)).to.deep.equal(['b']);
    const letters = await queue.letters();
    expect(letters.map(({ messageId }) => messageId)).to.deep.equal([...ids].reverse());
    for (const letter of letters) expect(letter).to.include({ step: 'a', topic: 't', reason: 'subscription_retired', deadAt: queue.clock.now() });
    expect((await queue.adapter.statistics()).map(({ step }) => step)).to.deep.equal(['b']);
    await queue.enqueue({});
    expect(await queue.claim('a')).to.deep.equal([]);
    expect(await queue.claimIds('b')).to.have.length(declared.delayed ? 3 : 4);
  }));

  suite.test('lets what is claimed of a retired subscription end, and buries what comes back', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const ids = await queue.enqueue({}, {}, {});
    const [done, back, dead] = await queue.claim('a');
    await queue.retire(KEY);
    expect(await queue.letters()).to.deep.equal([]);
    expect(await queue.adapter.renewMany([held(done)], 1_000)).to.deep.equal([true]);
    expect(await queue.done(held(done))).to.deep.equal([true]);
    expect(await queue.giveBack(held(back), undefined, { attempts: 3, deaths: 0, history: '[3]' })).to.equal(true);
    expect(await queue.kill(held(dead))).to.deep.equal([true]);
    const letters = (await queue.letters()).map(({ messageId, reason, progress }) => [messageId, reason, progress.attempts]);
    expect(letters).to.have.deep.members([[ids[2], 'max_attempts', 10], [ids[1], 'subscription_retired', 3]]);
    expect(await queue.adapter.statistics()).to.deep.equal([]);
    const [later] = await queue.enqueue({});
    await queue.subscribe('t', 'a');
    expect(await queue.claimIds('a')).to.deep.equal([later]);
  }));
}

/** What comes after a retirement. */
export function revivalTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('revives a retired subscription that is put again, with what has come since', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    await queue.enqueue({}, {});
    const [claim] = await queue.claim('a', 1);
    await queue.retire(KEY);
    const since = await queue.enqueue({}, {});
    await queue.subscribe('t', 'a', 'b');
    expect(await queue.giveBack(held(claim))).to.equal(true);
    inPlace(declared, await queue.claimIds('a'), [held(claim).messageId, ...since]);
    expect(await queue.claimIds('b')).to.deep.equal(since);
    expect(await queue.adapter.unrouted()).to.deep.equal([]);
  }));

  suite.test('gives a delivery id once only, also after the subscription was gone', () => withFresh(async (queue) => {
    const numbers: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await queue.subscribe('t', 'a');
      await queue.enqueue({}, {});
      const claims = await queue.claim('a');
      numbers.push(...claims.map(({ deliveryId }) => deliveryId));
      await queue.done(...claims);
      await queue.retire(KEY);
      if (declared.durable) await queue.restart();
    }
    expect(numbers).to.deep.equal([...new Set(numbers)].sort((a, b) => a - b)).and.have.length(6);
  }));

  suite.test('retires 2,500 waiting messages', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    await queue.enqueue(...Array.from({ length: 2_500 }, () => ({})));
    const claims = await queue.claim('a', 3);
    await queue.retire(KEY);
    expect(await queue.letters({ step: 'a' }, 1_000)).to.have.length(2_497);
    expect(await queue.done(...claims)).to.deep.equal([true, true, true]);
  }));
}

/** Retirements that take long. */
export function longRetirementTests({ suite, withFresh, declared }: QueueTests): void {
  if (!declared.durable) return;
  suite.test('ends the retirement that an engine left unfinished', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const ids = await queue.enqueue({});
    await queue.claim('a');
    await queue.retire(KEY);
    await queue.restart();
    expect((await queue.letters()).map(({ messageId, reason }) => [messageId, reason])).to.deep.equal([[ids[0], 'subscription_retired']]);
    expect(await queue.adapter.subscriptions()).to.deep.equal([]);
  }));
}
