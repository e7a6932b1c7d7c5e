import { expect } from 'chai';
import { merged } from './queue-operator.js';

const list = (...times: readonly number[]): { readonly messageId: string; readonly enqueuedAt: number }[] => times.map((enqueuedAt) => ({ messageId: `m${enqueuedAt}`, enqueuedAt }));
const times = (...lists: readonly [ReturnType<typeof list>, ReturnType<typeof list>]): readonly number[] => merged(...lists).map(({ enqueuedAt }) => enqueuedAt);

describe('what waits in two stores', () => {
  it('is shown by age', () => {
    expect(times(list(1, 4, 5), list(2, 3, 6))).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(times(list(), list(2, 3))).to.deep.equal([2, 3]);
    expect(times(list(2, 3), list())).to.deep.equal([2, 3]);
    const [a, b] = [{ messageId: 'a', enqueuedAt: 1 }, { messageId: 'b', enqueuedAt: 1 }];
    expect(merged([b], [a])).to.deep.equal([a, b]);
  });

  it('keeps the order of each, also where its times do not', () => {
    expect(times(list(7, 3, 5), list(4, 8))).to.deep.equal([4, 7, 3, 5, 8]);
    expect(times(list(1, 9), list(6, 2))).to.deep.equal([1, 6, 2, 9]);
  });
});
