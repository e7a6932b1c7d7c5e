import { expect } from 'chai';
import type { StateTests } from './state-under-test.js';

const HOUR = 3_600_000;

/** When values expire, for adapters that tell. */
export function expiryTellingTests({ suite, withFresh, declared }: StateTests): void {
  if (declared.ttl === 'none') return;
  suite.test('tells when a value expires, where it can tell', () => withFresh(async (state) => {
    const { adapter, clock } = state;
    if (!adapter.expiryOf) return;
    const due = clock.now() + HOUR;
    await state.set('g', 'k', 1, HOUR);
    await state.set('g', 'stays', 1);
    expect([await adapter.expiryOf('g', 'k'), await adapter.expiryOf('g', 'stays'), await adapter.expiryOf('g', 'none')]).to.deep.equal([due, undefined, undefined]);
    await state.add('g', 'k', 1);
    expect(await adapter.expiryOf('g', 'k'), 'a write that keeps it').to.equal(due);
    await state.set('g', 'gone', 1, 1000);
    await state.delete('g', 'k');
    await clock.advance(1000);
    expect([await adapter.expiryOf('g', 'k'), await adapter.expiryOf('g', 'gone')]).to.deep.equal([undefined, undefined]);
  }));
}
