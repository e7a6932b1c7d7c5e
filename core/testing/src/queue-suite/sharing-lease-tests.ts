import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueDelivery } from '@treadle/api';
import { expect } from 'chai';
import { AHEAD, claim, done, enqueue, KEY, LONG_MS, put, type QueueEngine, type SharingTest, sharingTest, SHORT_MS, withinLease } from './queue-engines.js';
import { held, type QueueTests } from './queue-under-test.js';

/** How claims of several engines end. */
export function sharedLeaseTests(tests: QueueTests): void {
  if (!tests.declared.multiEngine) return;
  const test = sharingTest(tests);
  test('ends a claim with its lease, and not before, by whose clock ever', async ({ start, eventually }) => {
    const [a, b] = await Promise.all([start(), start(AHEAD)]);
    await put(a, 'a');
    const { lost, early } = await withinLease(async (leaseMs) => {
      const one = await claimNew(a, leaseMs);
      return { lost: one, early: await claim(b) };
    });
    expect(early).to.deep.equal([]);
    const isLost = ({ messageId }: QueueDelivery): boolean => messageId === lost.messageId;
    const taken = await eventually(() => claim(b), (some) => some.some(isLost), 'the end of the lease');
    expect(await done(a, lost), 'the claim that has ended').to.deep.equal([false]);
    expect(await done(b, ...taken)).to.deep.equal(taken.map(() => true));
  });

  renewalTest(test);
  test('voids nothing when one more starts, and gives a stopped one\'s claims to the others', async ({ start, eventually }) => {
    const [a, b] = await Promise.all([start(), start()]);
    await put(a, 'a');
    await enqueue(a, {}, {});
    const [ofA] = await claim(a, 1);
    const [ofB] = await claim(b, 1);
    const c = await start();
    expect(await claim(c)).to.deep.equal([]);
    expect(await done(a, held(ofA))).to.deep.equal([true]);
    await b.stop();
    const [taken] = await eventually(() => claim(c), ({ length }) => length > 0, 'what the stopped engine had claimed');
    expect(taken?.messageId).to.equal(ofB?.messageId);
  });
}

function renewalTest(test: SharingTest): void {
  test('keeps a claim that is renewed', async ({ start }) => {
    const [a, b] = await Promise.all([start(AHEAD), start()]);
    await put(a, 'a');
    const { kept, firstMs, renewed } = await withinLease(async (leaseMs) => {
      const one = await claimNew(a, leaseMs);
      return { kept: one, firstMs: leaseMs, renewed: await a.adapter.renewMany([one], LONG_MS) };
    });
    expect(renewed).to.deep.equal([true]);
    for (const until = Date.now() + 2 * firstMs; Date.now() < until;) {
      expect(await a.adapter.renewMany([kept], LONG_MS)).to.deep.equal([true]);
      expect((await claim(b)).map(({ messageId }) => messageId)).to.not.include(kept.messageId);
      await sleep(SHORT_MS / 10);
    }
    expect(await done(a, kept)).to.deep.equal([true]);
  });
}

/** A message of its own that an engine holds for so long. */
async function claimNew(engine: QueueEngine, leaseMs: number): Promise<QueueDelivery> {
  await enqueue(engine, {});
  const [claimed] = await engine.adapter.claimMany([{ ...KEY, max: 1 }], leaseMs);
  return held(claimed);
}

/** What becomes of claims whose engine is gone, or was held up. */
export function takeOverTests(tests: QueueTests): void {
  if (!tests.declared.multiEngine) return;
  const test = sharingTest(tests);
  test('takes over what a killed one had claimed, with its progress', async ({ start, eventually }) => {
    const [a, b] = await Promise.all([start(AHEAD), start()]);
    await put(a, 'a');
    await enqueue(a, {});
    const progress = { attempts: 2, deaths: 1, history: '["e"]' };
    const [tried] = await claim(a);
    await a.adapter.settleMany([{ action: 'return', claim: held(tried), progress }]);
    expect(await eventually(() => claim(a), ({ length }) => length > 0, 'what came back')).to.have.length(1);
    await a.kill();
    const [taken] = await eventually(() => claim(b), ({ length }) => length > 0, 'the claim of the killed engine');
    expect(taken?.progress).to.deep.equal(progress);
  });

  test('refuses what one settles that was held up while another took over', async ({ start, eventually }) => {
    const [a, b] = await Promise.all([start(), start()]);
    await put(a, 'a');
    await enqueue(a, {}, {});
    const [stale] = await a.adapter.claimMany([{ ...KEY, max: 1 }], SHORT_MS);
    a.hold();
    const claims = await eventually(() => claim(b, 1), (some) => some.some(({ messageId }) => messageId === stale?.messageId), 'what the held engine had claimed');
    a.release();
    expect(await a.adapter.settleMany([{ action: 'dead', claim: held(stale), progress: held(stale).progress, reason: 'max_attempts', at: Date.now() }])).to.deep.equal([false]);
    expect(await a.adapter.renewMany([held(stale)], SHORT_MS)).to.deep.equal([false]);
    expect(await done(b, ...claims)).to.deep.equal(claims.map(() => true));
    expect((await b.adapter.deadLetters({}, { limit: 10 })).items).to.deep.equal([]);
    const [last] = await enqueue(a, {});
    const again = await eventually(() => claim(a), (some) => some.some(({ messageId }) => messageId === last), 'a claim of the engine that came back');
    expect(await done(a, ...again)).to.deep.equal(again.map(() => true));
  });
}
