import { expect } from 'chai';
import { held, type QueueTests, subscriptionOf } from './queue-under-test.js';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Nothing comes early. */
export function delayTests({ suite, withFresh, declared }: QueueTests): void {
  if (!declared.delayed) return;
  suite.test('claims nothing before it is due, and wakes when it is', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const now = queue.clock.now();
    const ids = await queue.enqueue({ dueAt: now + 2_000 }, { dueAt: now + 1_000 }, { dueAt: now + 1_000 }, { dueAt: now - 5 });
    expect(await queue.claimIds('a')).to.deep.equal([ids[3]]);
    await queue.told();
    await queue.clock.advance(999);
    expect(await queue.told()).to.deep.equal([]);
    expect(await queue.claim('a')).to.deep.equal([]);
    await queue.clock.advance(1);
    expect(await queue.told()).to.include('a/t');
    expect(await queue.claimIds('a')).to.deep.equal([ids[1], ids[2]]);
    await queue.clock.advance(1_000);
    expect(await queue.told()).to.include('a/t');
    expect(await queue.claimIds('a')).to.deep.equal([ids[0]]);
  }));

  suite.test('delays every delivery of a subscription by its least delay', () => withFresh(async (queue) => {
    await queue.put(subscriptionOf('a', 't', { delayMs: 500 }), subscriptionOf('b', 't'));
    const ids = await queue.enqueue({}, { dueAt: queue.clock.now() + 700 });
    expect(await queue.claimIds('b')).to.deep.equal([ids[0]]);
    await queue.clock.advance(499);
    expect(await queue.claim('a')).to.deep.equal([]);
    await queue.clock.advance(1);
    expect(await queue.claimIds('a')).to.deep.equal([ids[0]]);
    await queue.clock.advance(200);
    expect(await queue.claimIds('a')).to.deep.equal([ids[1]]);
  }));
}

/** What waits for another attempt, and what waits long. */
export function retryTimeTests({ suite, withFresh, declared }: QueueTests): void {
  if (!declared.delayed) return;
  suite.test('gives back what has waited for its next attempt', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const ids = await queue.enqueue({}, {});
    const [claim] = await queue.claim('a', 1);
    await queue.giveBack(held(claim), queue.clock.now() + 300, { attempts: 1, deaths: 0, history: '[]' });
    expect(await queue.statisticsOf('a')).to.include({ waiting: 1, retrying: 1, delayed: 0, active: 0 });
    expect(await queue.claimIds('a')).to.deep.equal([ids[1]]);
    await queue.clock.advance(300);
    const [again] = await queue.claim('a');
    expect(again).to.deep.include({ messageId: ids[0], progress: { attempts: 1, deaths: 0, history: '[]' } });
  }));

  suite.test('knows what waits far away, and many that are due at once', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const far = queue.clock.now() + 3 * HOUR_MS;
    const ids = await queue.enqueue(...Array.from({ length: 1_500 }, () => ({ dueAt: far })));
    await queue.clock.advance(3 * HOUR_MS - 1);
    expect(await queue.claim('a')).to.deep.equal([]);
    await queue.clock.advance(1);
    expect(await queue.claimIds('a', 2_000)).to.deep.equal(ids);
  }));

  if (!declared.durable) return;
  suite.test('remembers over a restart what is not due', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const ids = await queue.enqueue({ dueAt: queue.clock.now() + 1_000 }, { dueAt: queue.clock.now() + 10 });
    await queue.stop();
    await queue.clock.advance(500);
    await queue.start();
    expect(await queue.claimIds('a')).to.deep.equal([ids[1]]);
    await queue.clock.advance(499);
    expect(await queue.claim('a')).to.deep.equal([]);
    await queue.clock.advance(1);
    expect(await queue.claimIds('a')).to.deep.equal([ids[0]]);
  }));
}

/** Nothing twice with one key. */
export function dedupeTests({ suite, withFresh, declared }: QueueTests): void {
  if (!declared.dedupe) return;
  suite.test('writes nothing for a repeat and gives the first id, also once the message is done', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a', 'b');
    const [first] = await queue.enqueue({ dedupeKey: 'k' });
    expect(await queue.enqueue({ dedupeKey: 'k' }, { dedupeKey: 'l' })).to.deep.include(first);
    const claims = await queue.claim('a');
    expect(claims).to.have.length(2);
    await queue.done(...claims);
    expect(await queue.enqueue({ dedupeKey: 'k' })).to.deep.equal([first]);
    expect(await queue.claim('a')).to.deep.equal([]);
    expect(await queue.claimIds('b')).to.have.length(2);
  }));

  suite.test('knows repeats within a turn and within a batch', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const [one, two] = await Promise.all([queue.enqueue({ dedupeKey: 'k' }), queue.enqueue({ dedupeKey: 'k' })]);
    expect(two).to.deep.equal(one);
    const batch = await queue.enqueueBatch([{ dedupeKey: 'b' }, {}, { dedupeKey: 'b' }]);
    expect(batch?.ok && batch.ids[0] === batch.ids[2] && batch.ids[0] !== batch.ids[1]).to.equal(true);
    expect(await queue.claimIds('a')).to.deep.equal([one[0], batch?.ok && batch.ids[0], batch?.ok && batch.ids[1]]);
  }));

  suite.test('keeps keys of topics and of Steps apart', () => withFresh(async (queue) => {
    await queue.put(subscriptionOf('t', 't'), subscriptionOf('t', ''), subscriptionOf('u', ''), subscriptionOf('u', 'u'));
    const ids = await queue.enqueue({ dedupeKey: 'k' }, { topic: 'u', dedupeKey: 'k' }, { to: 't', dedupeKey: 'k' }, { to: 'u', dedupeKey: 'k' });
    expect(new Set(ids).size).to.equal(4);
  }));

  suite.test('takes a key again after 24 hours', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const [first] = await queue.enqueue({ dedupeKey: 'k' });
    await queue.clock.sleep(DAY_MS - 1);
    expect(await queue.enqueue({ dedupeKey: 'k' })).to.deep.equal([first]);
    await queue.clock.advance(1);
    const [second] = await queue.enqueue({ dedupeKey: 'k' });
    expect(second).to.not.equal(first);
    expect(await queue.claimIds('a')).to.deep.equal([first, second]);
  }));
}

/** How long keys are known. */
export function dedupeTimeTests({ suite, withFresh, declared }: QueueTests): void {
  if (!declared.dedupe) return;
  suite.test('answers a repeat also when the queue is full', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const first = await queue.enqueueBatch([{ dedupeKey: 'k' }], 1);
    expect(await queue.enqueueBatch([{}], 1)).to.have.property('ok', false);
    expect(await queue.enqueueBatch([{ dedupeKey: 'k' }], 1)).to.deep.equal(first);
  }));

  if (!declared.durable) return;
  suite.test('remembers keys over a restart', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const [first] = await queue.enqueue({ dedupeKey: 'k' });
    await queue.restart();
    expect(await queue.enqueue({ dedupeKey: 'k' })).to.deep.equal([first]);
    expect(await queue.claimIds('a')).to.deep.equal([first]);
  }));
}
