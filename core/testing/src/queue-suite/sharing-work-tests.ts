import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { AHEAD, claim, done, enqueue, KEY, LONG_MS, messageOf, put, type QueueEngine, sharingTest } from './queue-engines.js';
import { held, type QueueTests } from './queue-under-test.js';

/** What is claimed by several engines. */
export function sharedWorkTests(tests: QueueTests): void {
  if (!tests.declared.multiEngine) return;
  const test = sharingTest(tests);
  const { ordering } = tests.declared;
  test('gives each delivery to one', async ({ start }) => {
    const [a, b] = await Promise.all([start(), start()]);
    await put(a, 'a');
    const ids = await enqueue(a, ...Array.from({ length: 300 }, () => ({})));
    const claimed: string[] = [];
    const work = async ({ adapter }: QueueEngine): Promise<void> => {
      while (claimed.length < ids.length) {
        const claims = await adapter.claimMany([{ ...KEY, max: 7 }], LONG_MS);
        claimed.push(...claims.map(({ messageId }) => messageId));
        if (claims.length === 0) await sleep(20);
        await adapter.settleMany(claims.map((claim) => ({ action: 'done', claim })));
      }
    };
    await Promise.all([work(a), work(b), work(a), work(b)]);
    expect([...claimed].sort()).to.deep.equal([...ids].sort());
  });

  if (ordering === 'per_key') {
    test('has one hold of a group at a time, in the order', async ({ start, eventually }) => {
      const [a, b] = await Promise.all([start(), start()]);
      await put(a, 'a', { fifo: true });
      const ids = await enqueue(a, { groupId: 'g' }, { groupId: 'g' });
      const [first] = await claim(a);
      expect(await claim(b)).to.deep.equal([]);
      await done(a, held(first));
      const [second] = await eventually(() => claim(b), ({ length }) => length > 0, 'the second of the group');
      expect([first?.messageId, second?.messageId]).to.deep.equal(ids);
    });
  }
}

/** Who is told that there is something to claim, and how much each and all of them hold. */
export function sharedWakeTests(tests: QueueTests): void {
  if (!tests.declared.multiEngine) return;
  const test = sharingTest(tests);
  test('leaves others that work on a subscription their share of what waits', async ({ start, eventually }) => {
    const [a, b] = await Promise.all([start(), start()]);
    for (const each of [a, b]) {
      await put(each, 'a');
      expect(await claim(each, 100)).to.deep.equal([]);
    }
    const ids = await enqueue(a, ...Array.from({ length: 20 }, () => ({})));
    const first = await eventually(() => claim(a, 100), ({ length }) => length > 0, 'a claim of the one that asks for all');
    const second = await eventually(() => claim(b, 100), ({ length }) => length > 0, 'a claim of the other one');
    expect(ids).to.include.members([...first, ...second].map(({ messageId }) => messageId));
  });

  test('never has more claimed together than the total', async ({ start, eventually }) => {
    const [a, b] = await Promise.all([start(), start()]);
    await put(a, 'a');
    await enqueue(a, {}, {}, {}, {}, {});
    const first = await a.adapter.claimMany([{ ...KEY, max: 2, total: 3 }], LONG_MS);
    const second = await b.adapter.claimMany([{ ...KEY, max: 5, total: 3 }], LONG_MS);
    expect(first.length + second.length).to.equal(3);
    await done(a, held(first[0]));
    await eventually(() => b.adapter.claimMany([{ ...KEY, max: 5, total: 3 }], LONG_MS), ({ length }) => length === 1, 'the place that became free');
  });

  test('wakes the others', async ({ start, eventually }) => {
    const [a, b] = await Promise.all([start(), start()]);
    await put(a, 'a');
    await eventually(() => b.adapter.subscriptions(), ({ length }) => length === 1, 'the subscription');
    b.told.length = 0;
    const ids = await enqueue(a, {});
    await eventually(async () => Promise.resolve(b.told), (told) => told.some(({ method }) => method === 'onDue'), 'the wake-up of the other engine');
    expect((await claim(b)).map(({ messageId }) => messageId)).to.deep.equal(ids);
  });
}

/** Time, repeats and limits are those of the store. */
export function sharedRuleTests(tests: QueueTests): void {
  if (!tests.declared.multiEngine) return;
  const test = sharingTest(tests);
  const { delayed, dedupe, counts } = tests.declared;
  if (delayed) {
    test('goes by the time of the store, not by that of an engine', async ({ start, eventually }) => {
      const [a, b] = await Promise.all([start(), start(AHEAD)]);
      await put(a, 'a');
      const [late] = await enqueue(a, { dueAt: Date.now() + 60_000 });
      expect(await claim(b), 'by a clock that is ten minutes ahead').to.deep.equal([]);
      const [soon] = await enqueue(a, { dueAt: Date.now() + 1_000 });
      const [ahead] = await enqueue(b, { dueAt: Date.now() + AHEAD.clockAheadMs + 1_000 });
      const claimed: string[] = [];
      await eventually(async () => claimed.push(...(await claim(b)).map(({ messageId }) => messageId)), (count) => count === 2, 'the messages that are due');
      expect([...claimed].sort()).to.deep.equal([soon, ahead]).and.not.include(late);
    });
  }

  if (dedupe) {
    test('recognises a message that another one has taken', async ({ start }) => {
      const [a, b] = await Promise.all([start(), start()]);
      await put(a, 'a');
      const [id] = await enqueue(a, { dedupeKey: 'k' });
      expect(await enqueue(b, { dedupeKey: 'k' })).to.deep.equal([id]);
      expect(await claim(a)).to.have.length(1);
    });
  }

  if (counts === 'exact') {
    test('counts what all of them put into a subscription', async ({ start }) => {
      const [a, b] = await Promise.all([start(), start()]);
      await put(a, 'a');
      await enqueue(a, {}, {});
      const [outcome] = await b.adapter.enqueueMany([[messageOf({})]], { maxWaiting: 2 });
      expect(outcome).to.deep.equal({ ok: false, full: KEY });
    });
  }
}
