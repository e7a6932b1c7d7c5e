import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { samplerOf } from './sampling.js';

describe('sampling', () => {
  it('keeps a tenth of twenty thousand traces, the same in every process', () => {
    const [one, other] = [samplerOf(0.1), samplerOf(0.1)];
    const ids = Array.from({ length: 20_000 }, () => randomBytes(16).toString('hex'));
    const kept = ids.filter(one);
    expect(kept.length / ids.length).to.be.within(0.09, 0.11);
    expect(ids.filter(other)).to.deep.equal(kept);
    const half = samplerOf(0.5);
    expect(kept.every(half)).to.equal(true);
  });

  it('keeps all or none at the ends, and what is no id never', () => {
    expect([samplerOf(1)('f'.repeat(32)), samplerOf(0)('0'.repeat(32)), samplerOf(0.5)('not an id')]).to.deep.equal([true, false, false]);
  });
});
