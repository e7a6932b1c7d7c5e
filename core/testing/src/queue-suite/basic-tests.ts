import { expect } from 'chai';
import { callsUnderWay } from '../suite/calls-under-way.js';
import { held, FRESH, HOSTILE_NAMES, type QueueTests, subscriptionOf, TRACE } from './queue-under-test.js';

/** From enqueueing to the end. */
export function basicTests({ suite, withFresh }: QueueTests): void {
  suite.test('hands a message out with everything that it had', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const [id = ''] = await queue.enqueue({ data: '{"n":1}', headers: '{"h":"v"}', hops: 3, groupId: 'g', kind: 'state' });
    const [delivery] = await queue.claim('a');
    expect(delivery).to.deep.include({
      step: 'a', topic: 't', messageId: id, kind: 'state', data: '{"n":1}', headers: '{"h":"v"}', traceparent: TRACE, hops: 3,
      enqueuedAt: queue.clock.now(), groupId: 'g', progress: FRESH,
    });
    expect(await queue.claim('a')).to.deep.equal([]);
    expect(await queue.done(held(delivery))).to.deep.equal([true]);
    expect(await queue.claim('a')).to.deep.equal([]);
  }));

  suite.test('gives every subscription of the topic its own delivery, and others none', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a', 'b');
    await queue.subscribe('other', 'a');
    const ids = await queue.enqueue({}, {});
    expect(await queue.claimIds('a')).to.deep.equal(ids);
    const [first] = await queue.claim('b');
    expect(first?.messageId).to.equal(ids[0]);
    expect(await queue.claimIds('a', 10, 'other')).to.deep.equal([]);
    await queue.kill(held(first));
    expect((await queue.letters()).map(({ step }) => step)).to.deep.equal(['b']);
    expect(await queue.statisticsOf('a')).to.include({ active: 2, dead: 0 });
  }));
}

/** The order of messages. */
export function orderTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('delivers in the order of enqueueing, whatever was claimed together', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const ids: string[] = [];
    for (let round = 0; round < 5; round += 1) ids.push(...await queue.enqueue(...Array.from({ length: 20 }, () => ({}))));
    const claimed = [];
    for (const max of [1, 7, 30, 100]) claimed.push(...await queue.claim('a', max));
    expect(claimed.map(({ messageId }) => messageId)).to.deep.equal(ids);
    const numbers = claimed.map(({ deliveryId }) => deliveryId);
    expect(numbers).to.deep.equal([...new Set(numbers)].sort((a, b) => a - b));
  }));

  for (const steps of [['a'], ['a', 'b']]) {
    suite.test(`keeps the order of calls that are under way together, from the first one of an engine on (subscriptions: ${steps.length})`, () => withFresh(async (queue) => {
      await queue.subscribe('t', ...steps);
      if (declared.durable) await queue.restart();
      const ids = (await callsUnderWay(() => queue.enqueue({}))).flat();
      for (const step of steps) expect(await queue.claimIds(step, ids.length)).to.deep.equal(ids);
    }));
  }
}

/** Who gets a message, and who is told. */
export function routingTests({ suite, withFresh }: QueueTests): void {
  suite.test('delivers to one Step alone with "to", and drops it when that is not subscribed', () => withFresh(async (queue) => {
    await queue.put(subscriptionOf('a', ''), subscriptionOf('b', ''), subscriptionOf('a', 't'));
    const [id] = await queue.enqueue({ to: 'a', kind: 'stream' }, { to: 'nobody' });
    expect(await queue.claimIds('a', 10, '')).to.deep.equal([id]);
    expect(await queue.claimIds('b', 10, '')).to.deep.equal([]);
    expect(await queue.claimIds('a')).to.deep.equal([]);
    expect(await queue.adapter.unrouted()).to.deep.equal([]);
  }));

  suite.test('keeps what delivers a message, also of its dead letter', () => withFresh(async (queue) => {
    const kinds = ['queue', 'state', 'stream', 'trigger'] as const;
    await queue.subscribe('t', 'a');
    await queue.enqueue(...kinds.map((kind) => ({ kind })));
    const claimed = await queue.claim('a', kinds.length);
    expect(claimed.map(({ kind }) => kind)).to.deep.equal(kinds);
    const progress = { attempts: 1, deaths: 0, history: '' };
    await queue.adapter.settleMany(claimed.map((claim) => ({ action: 'dead', claim, progress, reason: 'max_attempts', at: queue.clock.now() })));
    const { items } = await queue.adapter.deadLetters({}, { limit: 10 });
    expect(items.map(({ kind }) => kind).sort()).to.deep.equal([...kinds].sort());
  }));

  suite.test('wakes whoever can claim', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a', 'b');
    await queue.told();
    await queue.enqueue({});
    expect(await queue.told()).to.include.members(['a/t', 'b/t']);
    const [delivery] = await queue.claim('a');
    await queue.giveBack(held(delivery));
    expect(await queue.told()).to.include('a/t');
  }));
}

/** Texts and sizes that do not go together with every store. */
export function payloadTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('takes any text as Step, group, application and dedupe key', () => withFresh(async (queue) => {
    for (const name of HOSTILE_NAMES) {
      await queue.put(subscriptionOf(name, 't', { application: name, fifo: declared.ordering === 'per_key' }));
      await queue.enqueue({ groupId: name, ...declared.dedupe && { dedupeKey: name } });
      const [delivery] = await queue.claim(name);
      expect(delivery?.step, JSON.stringify(name)).to.equal(name);
      expect(delivery?.groupId, JSON.stringify(name)).to.equal(name);
      await queue.kill(held(delivery));
      expect((await queue.letters({ step: name })).map(({ step, groupId }) => [step, groupId])).to.deep.equal([[name, name]]);
      await queue.retire({ step: name, topic: 't' });
    }
    expect(await queue.adapter.subscriptions()).to.deep.equal([]);
    expect((await queue.letters()).map(({ step }) => step)).to.deep.equal([...HOSTILE_NAMES].reverse());
  }));

  suite.test('keeps any JSON text as it is, up to the declared size', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const texts = [
      JSON.stringify(HOSTILE_NAMES), '{"__proto__":{"x":1}}', '"\\u0000\\ud83d"', 'null', '-0', '1e300', ' {"a" :1}', JSON.stringify('😀'.repeat(1000)),
      JSON.stringify('x'.repeat(declared.maxMessageBytes - 2)),
    ];
    await queue.enqueue(...texts.map((data) => ({ data, headers: JSON.stringify({ text: data.slice(0, 500) }) })));
    const claimed = await queue.claim('a');
    expect(claimed.map(({ data }) => data)).to.deep.equal(texts);
    expect(claimed.map(({ headers }) => headers)).to.deep.equal(texts.map((data) => JSON.stringify({ text: data.slice(0, 500) })));
  }));

  suite.test('stores a batch as a whole or not at all', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    await queue.subscribe('u', 'b');
    expect(await queue.enqueueBatch([{ topic: 't' }, { topic: 'u' }, { topic: 'u' }], 2)).to.have.property('ok', true);
    expect(await queue.enqueueBatch([{ topic: 't' }, { topic: 'u' }], 2)).to.deep.equal({ ok: false, full: { step: 'b', topic: 'u' } });
    expect(await queue.statisticsOf('a')).to.include({ waiting: 1 });
    expect(await queue.statisticsOf('b', 'u')).to.include({ waiting: 2 });
    expect(await queue.enqueueBatch([{ topic: 't' }], 2), 'room for another').to.have.property('ok', true);
  }));
}

/** All of a batch or nothing. */
export function batchTests({ suite, withFresh }: QueueTests): void {
  suite.test('refuses one batch and stores the next of the same call', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const batches = [[queue.message(), queue.message()], [queue.message(), queue.message()], [queue.message()]];
    const outcomes = await queue.adapter.enqueueMany(batches, { maxWaiting: 3 });
    expect(outcomes.map(({ ok }) => ok)).to.deep.equal([true, false, true]);
    expect(await queue.claimIds('a')).to.deep.equal([batches[0]?.[0]?.id, batches[0]?.[1]?.id, batches[2]?.[0]?.id]);
  }));
}
