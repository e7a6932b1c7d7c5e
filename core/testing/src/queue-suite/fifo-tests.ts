import { expect } from 'chai';
import { held, keeps, type QueueTests, subscriptionOf } from './queue-under-test.js';

/** As many as are claimed at once. */
const GROUPS = 100;

const fifo = subscriptionOf('a', 't', { fifo: true });

/** One at a time per group. */
export function fifoTests({ suite, withFresh, declared }: QueueTests): void {
  if (declared.ordering !== 'per_key') return;
  suite.test('claims the head of each group alone', () => withFresh(async (queue) => {
    await queue.put(fifo);
    const ids = await queue.enqueue({ groupId: 'x' }, { groupId: 'x' }, { groupId: 'y' }, {}, {});
    const claims = await queue.claim('a');
    expect(claims.map(({ messageId }) => messageId)).to.deep.equal([ids[0], ids[2], ids[3]]);
    expect(await queue.claim('a')).to.deep.equal([]);
    await queue.told();
    await queue.done(held(claims[0]));
    expect(await queue.told()).to.include('a/t');
    expect(await queue.claimIds('a')).to.deep.equal([ids[1]]);
  }));

  suite.test('lets a group wait for what comes back, also until it is due, and goes on after a death', () => withFresh(async (queue) => {
    await queue.put(fifo);
    const ids = await queue.enqueue({ groupId: 'x' }, { groupId: 'x' }, { groupId: 'y' });
    const [first, other] = await queue.claim('a');
    await queue.giveBack(held(first), queue.clock.now() + 1_000);
    await queue.done(held(other));
    expect(await queue.claim('a')).to.deep.equal([]);
    await queue.clock.advance(1_000);
    const [again] = await queue.claim('a');
    expect(again?.messageId).to.equal(ids[0]);
    await queue.giveBack(held(again));
    const [third] = await queue.claim('a');
    expect(third?.messageId).to.equal(ids[0]);
    await queue.kill(held(third));
    expect(await queue.claimIds('a')).to.deep.equal([ids[1]]);
  }));

  suite.test('does not pass a message that is not due', () => withFresh(async (queue) => {
    await queue.put(fifo);
    const ids = await queue.enqueue({ groupId: 'x', dueAt: queue.clock.now() + 500 }, { groupId: 'x' }, { groupId: 'y' });
    expect(await queue.claimIds('a')).to.deep.equal([ids[2]]);
    await queue.clock.advance(500);
    expect(await queue.claimIds('a')).to.deep.equal([ids[0]]);
  }));
}

/** Groups that wait. */
export function fifoTimeTests({ suite, withFresh, declared }: QueueTests): void {
  if (declared.ordering !== 'per_key') return;
  suite.test('is not held up by a group with 3,000 messages behind a blocked head', () => withFresh(async (queue) => {
    await queue.put(fifo);
    const blocked = await queue.enqueue({ groupId: 'blocked' });
    const [head] = await queue.claim('a');
    for (let round = 0; round < 3; round += 1) blocked.push(...await queue.enqueue(...Array.from({ length: 1_000 }, () => ({ groupId: 'blocked' }))));
    const [other] = await queue.enqueue({ groupId: 'free' });
    const claims = await queue.claim('a');
    expect(claims.map(({ messageId }) => messageId)).to.deep.equal([other]);
    await queue.done(...claims, held(head));
    for (const id of blocked.slice(1, 60)) {
      const next = await queue.claim('a');
      expect(next.map(({ messageId }) => messageId)).to.deep.equal([id]);
      await queue.done(...next);
    }
  }));

  if (!keeps(declared, 'places')) return;
  suite.test('becomes fifo and back with what it has', () => withFresh(async (queue) => {
    await queue.put(subscriptionOf('a', 't'));
    const ids = await queue.enqueue({ groupId: 'x' }, { groupId: 'x' }, {}, {});
    const [claim] = await queue.claim('a', 1);
    await queue.put(fifo);
    expect(await queue.claimIds('a')).to.deep.equal([ids[2]]);
    await queue.done(held(claim));
    expect(await queue.claimIds('a')).to.deep.equal([ids[1]]);
    await queue.put(subscriptionOf('a', 't'));
    expect(await queue.claimIds('a')).to.deep.equal([ids[3]]);
  }));
}

/** Subscriptions that are wanted again before all that waits has gone. */
export function fifoRetirementTests({ suite, withFresh, declared }: QueueTests): void {
  if (declared.ordering !== 'per_key' || !keeps(declared, 'places')) return;
  for (const before of [false, true]) {
    suite.test(`${before ? 'ends to be' : 'becomes'} fifo while it is being retired, and keeps the order of all that is no dead letter`, () => withFresh(async (queue) => {
      await queue.put(subscriptionOf('a', 't', { fifo: before }));
      const ids: string[] = [];
      for (let round = 0; round < 3; round += 1) ids.push(...await queue.enqueue(...Array.from({ length: 1_000 }, (_, index) => ({ groupId: `g${index % GROUPS}` }))));
      const [first] = await queue.claim('a', 1);
      const retired = queue.retire({ step: 'a', topic: 't' });
      await queue.put(subscriptionOf('a', 't', { fifo: !before }));
      await retired;
      await queue.giveBack(held(first));
      const seen: string[] = [];
      for (let claims = await queue.claim('a'); claims.length > 0; claims = await queue.claim('a')) {
        if (!before) expect(new Set(claims.map(({ groupId }) => groupId)).size).to.equal(claims.length);
        seen.push(...claims.map(({ messageId }) => messageId));
        await queue.done(...claims);
      }
      const dead = new Set((await queue.letters({ step: 'a' }, 1_000)).map(({ messageId }) => messageId));
      expect(seen).to.deep.equal(ids.filter((id) => !dead.has(id)));
      expect(dead.size + seen.length).to.equal(ids.length);
    }));
  }
}

/** What a fifo subscription keeps. */
export function fifoStorageTests({ suite, withFresh, declared }: QueueTests): void {
  if (declared.ordering !== 'per_key') return;
  if (!declared.durable) return;
  suite.test('keeps the order of the groups over a restart', () => withFresh(async (queue) => {
    await queue.put(fifo);
    const ids = await queue.enqueue(...Array.from({ length: 60 }, (_, index) => ({ groupId: `g${index % 2}` })));
    const [first] = await queue.claim('a');
    await queue.giveBack(held(first), queue.clock.now() + 1_000, { attempts: 1, deaths: 0, history: '' });
    await queue.restart();
    const seen: string[] = [];
    for (let count = 0; count < 30; count += 1) {
      const [claim] = await queue.claim('a');
      seen.push(held(claim).messageId);
      await queue.done(held(claim));
    }
    expect(seen).to.deep.equal(ids.filter((_, index) => index % 2 === 1));
    await queue.clock.advance(1_000);
    expect(await queue.claimIds('a')).to.deep.equal([ids[0]]);
  }));
}
