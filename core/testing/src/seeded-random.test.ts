import { expect } from 'chai';
import { seededRandom } from './index.js';

describe('seededRandom', () => {
  it('gives a seed the same numbers each time and another seed others', () => {
    const [one, again, other] = [7, 7, 8].map((seed) => Array.from({ length: 100 }, seededRandom(seed)));
    expect(one).to.deep.equal(again);
    expect(one).to.not.deep.equal(other);
    expect(one?.every((number) => number >= 0 && number < 1)).to.equal(true);
  });
});
