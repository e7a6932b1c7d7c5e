import { expect } from 'chai';
import { claim, enqueue, KEY, LONG_MS, put, retire, sharingTest } from './queue-engines.js';
import type { QueueTests } from './queue-under-test.js';

/** A pause is everybody's. */
export function sharedPauseTests(tests: QueueTests): void {
  if (!tests.declared.multiEngine) return;
  const test = sharingTest(tests);
  test('pauses and resumes for all, and tells the others', async ({ start, eventually }) => {
    const [a, b] = await Promise.all([start(), start()]);
    await put(a, 'a');
    await put(b, 'a');
    await enqueue(a, {});
    b.told.length = 0;
    await a.adapter.changeSubscriptions([{ action: 'pause', key: KEY, paused: true }]);
    await eventually(async () => Promise.resolve(b.told), (told) => told.some(({ method }) => method === 'onSubscriptions'), 'word of the pause');
    expect((await b.adapter.subscriptions()).map(({ paused }) => paused)).to.deep.equal([true]);
    await put(b, 'a', { settings: '{"n":2}' });
    expect([await claim(a), await claim(b)], 'after another declaration').to.deep.equal([[], []]);
    await b.adapter.changeSubscriptions([{ action: 'pause', key: KEY, paused: false }]);
    await eventually(() => claim(a), ({ length }) => length === 1, 'the delivery after the pause');
  });
}

/** Who wants a subscription. */
export function sharedVoteTests(tests: QueueTests): void {
  if (!tests.declared.multiEngine) return;
  const test = sharingTest(tests);
  test('retires a subscription when the last of them that wants it does not', async ({ start, eventually }) => {
    const [a, b] = await Promise.all([start(), start()]);
    await put(a, 'a');
    await put(b, 'a');
    await enqueue(a, {});
    await retire(a, 0);
    expect(await b.adapter.subscriptions(), 'still wanted').to.have.length(1);
    expect((await b.adapter.deadLetters({}, { limit: 10 })).items).to.deep.equal([]);
    await retire(b, 0);
    expect(await a.adapter.subscriptions()).to.deep.equal([]);
    // Either of them may be moving the delivery when the other has found nothing to move.
    const letters = () => a.adapter.deadLetters({}, { limit: 10 });
    await eventually(letters, ({ items: [letter] }) => letter?.reason === 'subscription_retired', 'the dead letter');
    expect((await letters()).items).to.have.length(1);
  });

  test('counts the vote of one that has ended for a while, and not for ever', async ({ start, eventually }) => {
    const [a, b, c] = await Promise.all([start(), start(), start()]);
    await Promise.all([put(b, 'a'), put(c, 'a', {}, 'u')]);
    await b.stop();
    await c.kill();
    await retire(a, LONG_MS);
    await retire(a, LONG_MS, 'u');
    expect(await a.adapter.subscriptions(), 'just after their end').to.have.length(2);
    await eventually(async () => {
      await retire(a, 0);
      await retire(a, 0, 'u');
      return a.adapter.subscriptions();
    }, ({ length }) => length === 0, 'the retirement of what only engines wanted that have ended');
  });
}
