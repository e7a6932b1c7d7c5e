import { expect } from 'chai';
import type { StateTests } from './state-under-test.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Time to live, for adapters that declare it. */
export function expiryTests({ suite, withFresh, declared }: StateTests): void {
  if (declared.ttl === 'none') return;
  suite.test('lets a value expire everywhere at once', () => withFresh(async (state) => {
    await state.set('g', 'short', 1, 10_000);
    await state.set('g', 'long', 1, HOUR);
    await state.set('only', 'short', 1, 10_000);
    await state.clock.advance(9000);
    expect(await state.value('g', 'short')).to.equal(1);
    expect(await state.groups()).to.deep.equal(['g', 'only']);
    await state.clock.advance(1000);
    expect(await state.value('g', 'short')).to.equal(undefined);
    expect((await state.list('g', { limit: 1 })).map(({ key }) => key)).to.deep.equal(['long']);
    expect(await state.groups({ limit: 1 })).to.deep.equal(['g']);
    expect(await state.delete('g', 'short')).to.deep.equal({ before: undefined, after: undefined });
    expect(await state.adapter.clear('g')).to.equal(1);
  }));

  suite.test('shows writes no expired value and goes on counting its revisions', () => withFresh(async (state) => {
    await state.set('g', 'k', 1, 1000);
    await state.clock.advance(1000);
    const { before, after } = await state.add('g', 'k', 5);
    expect([before, after?.value]).to.deep.equal([undefined, 5]);
    expect(after?.revision).to.be.greaterThan(1);
    await state.clock.advance(HOUR);
    expect(await state.value('g', 'k'), 'the new value does not expire').to.equal(5);
  }));

  suite.test('keeps the time to live with keepExpiry and replaces it without', () => withFresh(async (state) => {
    for (const key of ['kept', 'replaced', 'dropped']) await state.set('g', key, 0, 10_000);
    await state.clock.advance(5000);
    await state.add('g', 'kept', 1);
    await state.set('g', 'replaced', 1, 10_000);
    await state.set('g', 'dropped', 1);
    await state.clock.advance(5000);
    expect((await state.list('g')).map(({ key }) => key)).to.deep.equal(['dropped', 'replaced']);
    await state.clock.advance(5000);
    expect((await state.list('g')).map(({ key }) => key)).to.deep.equal(['dropped']);
  }));
}

/** What becomes of expired values. */
export function sweepTests({ suite, withFresh, declared }: StateTests): void {
  if (declared.ttl === 'none') return;
  suite.test('removes in its own time what has expired, and never gives a revision twice', () => withFresh(async (state) => {
    const revisions: number[] = [];
    for (let round = 0; round < 3; round++) {
      revisions.push((await state.set('g', 'k', round, 1000)).after?.revision ?? 0);
      await state.set('other', 'stays', round);
      await state.clock.sleep(49 * HOUR);
      await state.clock.advance(MINUTE);
    }
    expect(revisions).to.deep.equal([...new Set(revisions)].sort((a, b) => a - b));
    expect(await state.value('other', 'stays')).to.equal(2);
    expect(await state.groups()).to.deep.equal(['other']);
  }));
}
