import type { Settlement } from '@treadle/api';
import { expect } from 'chai';
import { FRESH, held, inPlace, keeps, LEASE_MS, type QueueTests, subscriptionOf } from './queue-under-test.js';

/** Who holds a delivery. */
export function claimTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('refuses a settlement of a claim that has ended', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    await queue.enqueue({});
    const [first] = await queue.claim('a');
    const stale = held(first);
    expect(await queue.giveBack(held(first))).to.equal(true);
    const [second] = await queue.claim('a');
    if (keeps(declared, 'places')) expect(second?.deliveryId).to.equal(stale.deliveryId);
    expect(second?.epoch).to.not.equal(stale.epoch);
    expect(await queue.done(stale), 'done').to.deep.equal([false]);
    expect(await queue.kill(stale), 'dead').to.deep.equal([false]);
    expect(await queue.giveBack(stale), 'return').to.equal(false);
    expect(await queue.adapter.renewMany([stale, held(second)], LEASE_MS)).to.deep.equal([false, true]);
    expect(await queue.done(held(second), held(second))).to.deep.equal([true, false]);
    expect(await queue.adapter.renewMany([held(second)], LEASE_MS)).to.deep.equal([false]);
    expect(await queue.letters()).to.deep.equal([]);
  }));

  suite.test('ends a claim once when one call has one settlement of it twice', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    await queue.enqueue({}, {}, {}, {});
    const [first, second, third, fourth] = await queue.claim('a');
    const done: Settlement = { action: 'done', claim: held(first) };
    const back: Settlement = { action: 'return', claim: held(second), progress: FRESH };
    const dead: Settlement = { action: 'dead', claim: held(third), progress: FRESH, reason: 'max_attempts', at: queue.clock.now() };
    const last: Settlement = { action: 'done', claim: held(fourth) };
    expect(await queue.adapter.settleMany([done, back, done, dead, back, dead, last])).to.deep.equal([true, true, false, true, false, false, true]);
    expect(await queue.claim('a')).to.have.length(1);
    expect(await queue.letters()).to.have.length(1);
  }));

  suite.test('refuses claims of what never was', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    await queue.enqueue({});
    const [claim] = await queue.claim('a');
    const wrong = [{ ...held(claim), step: 'b' }, { ...held(claim), topic: 'u' }, { ...held(claim), deliveryId: held(claim).deliveryId + 1 }, { ...held(claim), epoch: '' }];
    expect(await queue.done(...wrong)).to.deep.equal([false, false, false, false]);
    expect(await queue.claim('nobody')).to.deep.equal([]);
    expect(await queue.done(held(claim))).to.deep.equal([true]);
  }));
}

/** What comes back, and what is not to be claimed. */
export function returnTests({ suite, withFresh, declared }: QueueTests): void {
  suite.test('gives no claim the epoch of another, also after a restart', () => withFresh(async (queue) => {
    const epochs: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      await queue.subscribe('t', 'a');
      await queue.enqueue({}, {});
      for (let time = 0; time < 3; time += 1) {
        const claims = await queue.claim('a');
        epochs.push(...claims.map(({ epoch }) => epoch));
        for (const claim of claims) await queue.giveBack(claim);
      }
      if (declared.durable) await queue.restart();
    }
    expect(epochs.length).to.be.at.least(18);
    expect(new Set(epochs).size).to.equal(epochs.length);
  }));

  suite.test('puts what comes back in its place, with its progress', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    const ids = await queue.enqueue({}, {}, {});
    const claims = await queue.claim('a', 2);
    const progress = { attempts: 2, deaths: 1, history: '["x"]' };
    await queue.giveBack(held(claims[1]));
    await queue.giveBack(held(claims[0]), undefined, progress);
    const again = await queue.claim('a');
    inPlace(declared, again.map(({ messageId }) => messageId), ids);
    const first = held(again.find(({ messageId }) => messageId === ids[0]));
    expect(first).to.deep.include({ progress });
    if (keeps(declared, 'places')) expect(first.deliveryId).to.equal(held(claims[0]).deliveryId);
  }));

  suite.test('claims nothing of a paused subscription', () => withFresh(async (queue) => {
    await queue.put(subscriptionOf('a', 't', { paused: true }));
    const [id] = await queue.enqueue({});
    expect(await queue.claim('a')).to.deep.equal([]);
    await queue.put(subscriptionOf('a', 't'));
    expect(await queue.told()).to.include('a/t');
    expect(await queue.claimIds('a')).to.deep.equal([id]);
  }));
}

/** How long a claim holds. */
export function leaseTests({ suite, withFresh, declared }: QueueTests): void {
  if (declared.multiEngine) return;
  suite.test('keeps a claim for as long as the engine lives', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    await queue.enqueue({});
    const [claim] = await queue.claim('a');
    await queue.clock.advance(LEASE_MS * 100);
    expect(await queue.claim('a')).to.deep.equal([]);
    expect(await queue.done(held(claim))).to.deep.equal([true]);
  }));
}

/** Much at once. */
export function volumeTests({ suite, withFresh }: QueueTests): void {
  suite.test('keeps the order with more messages than fit in memory, some of them coming back', function run() {
    return withFresh(async (queue) => {
      await queue.subscribe('t', 'a');
      const ids: string[] = [];
      for (let round = 0; round < 13; round += 1) ids.push(...await queue.enqueue(...Array.from({ length: 1_000 }, () => ({}))));
      const [first] = await queue.claim('a', 1);
      const seen: string[] = [];
      for (let round = 0; seen.length < ids.length - 1 && round < 100; round += 1) {
        const claims = await queue.claim('a', 500);
        seen.push(...claims.map(({ messageId }) => messageId));
        await queue.done(...claims);
        if (round % 5 === 0) ids.push(...await queue.enqueue({}));
      }
      expect(seen).to.deep.equal(ids.slice(1));
      await queue.giveBack(held(first));
      expect(await queue.claimIds('a')).to.deep.equal([ids[0]]);
    });
  });

  suite.test('settles in any order', () => withFresh(async (queue) => {
    await queue.subscribe('t', 'a');
    await queue.enqueue(...Array.from({ length: 50 }, () => ({})));
    const claims = [...await queue.claim('a')];
    const kept = claims.filter((_, index) => index % 7 === 3);
    const shuffled = claims.filter((claim) => !kept.includes(claim)).sort((a, b) => (a.deliveryId * 7919) % 101 - (b.deliveryId * 7919) % 101);
    expect(await queue.done(...shuffled)).to.deep.equal(shuffled.map(() => true));
    expect(await queue.statisticsOf('a')).to.include({ active: kept.length, waiting: 0 });
    for (const claim of kept) await queue.giveBack(claim);
    expect(await queue.claimIds('a')).to.deep.equal(kept.map(({ messageId }) => messageId));
  }));
}
