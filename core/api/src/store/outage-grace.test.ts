import { expect } from 'chai';
import { OutageGrace } from './outage-grace.js';

describe('the grace after an outage of a store', () => {
  it('lets nobody judge before the first beat, and in the ten seconds after the store is back', () => {
    const grace = new OutageGrace();
    expect([grace.apart, grace.returned, grace.judges(100_000)]).to.deep.equal([true, false, false]);
    grace.beat(100_000);
    expect([grace.apart, ...[100_000, 109_999, 110_000].map((now) => grace.judges(now))]).to.deep.equal([false, false, false, true]);
    grace.beat();
    expect([109_999, 110_000].map((now) => grace.judges(now)), 'after a beat that knows nothing new').to.deep.equal([false, true]);
  });

  it('knows an engine that comes back from one that was not there before', () => {
    let now = 0;
    const grace = new OutageGrace(() => now);
    grace.beat();
    now = 4_999;
    expect([grace.apart, grace.returned, grace.judges(0)]).to.deep.equal([false, false, true]);
    now = 5_000;
    expect([grace.apart, grace.returned, grace.judges(0)]).to.deep.equal([true, true, false]);
  });

  it('lets an engine judge at once where there was no outage, and where the time of the store was put back since', () => {
    const grace = new OutageGrace();
    grace.beat();
    expect(grace.judges(0)).to.equal(true);
    grace.beat(100_000);
    expect(grace.judges(50_000)).to.equal(true);
  });
});
