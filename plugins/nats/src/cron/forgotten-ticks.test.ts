import { expect } from 'chai';
import { isForgotten, type TickSpan, withForgotten } from './forgotten-ticks.js';

const spansOf = (...ticks: readonly number[]): readonly TickSpan[] => ticks.reduce<readonly TickSpan[]>((spans, tick) => withForgotten(spans, tick, false), []);

describe('ticks whose records are gone', () => {
  it('are one span as long as they are whole seconds apart', () => {
    const spans = spansOf(60_000, 120_000, 180_000);
    expect(spans).to.deep.equal([{ first: 60_000, last: 180_000 }]);
    expect([60_000, 120_000, 180_000].every((tick) => isForgotten(spans, tick))).to.equal(true);
    expect([59_000, 120_001, 181_000].some((tick) => isForgotten(spans, tick))).to.equal(false);
  });

  it('have a span of their own where they came between seconds', () => {
    expect(spansOf(60_000, 61_003, 62_000)).to.deep.equal([{ first: 60_000, last: 62_000 }, { first: 61_003, last: 61_003 }]);
  });

  it('take none with them that lies between two when they were missed', () => {
    const spans = withForgotten(spansOf(60_000), 120_000, true);
    expect(isForgotten(spans, 120_000)).to.equal(true);
    expect(isForgotten(spans, 90_000)).to.equal(false);
  });

  it('are kept by their last 1,000 spans', () => {
    const spans = spansOf(...Array.from({ length: 1_200 }, (_, index) => index * 10_001));
    expect(spans).to.have.length(1_000);
    expect(isForgotten(spans, 1_199 * 10_001)).to.equal(true);
  });
});
