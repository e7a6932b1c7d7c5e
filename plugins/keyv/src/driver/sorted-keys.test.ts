import { expect } from 'chai';
import fc from 'fast-check';
import { SortedKeys } from './sorted-keys.js';

describe('SortedKeys', () => {
  it('is a sorted set, whatever is added and removed', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 3 });
    const change = fc.record({ add: fc.boolean(), key });
    fc.assert(fc.property(fc.array(change, { maxLength: 60 }), key, key, fc.integer({ min: 1, max: 9 }), (changes, from, to, limit) => {
      const keys = new SortedKeys();
      const model = new Set<string>();
      for (const { add, key: one } of changes) {
        if (add) { keys.add(one); model.add(one); } else { keys.delete(one); model.delete(one); }
      }
      const expected = [...model].sort().filter((one) => one >= from && one < to).slice(0, limit);
      expect(keys.slice(from, to, limit)).to.deep.equal(expected);
    }), { seed: 20_260_101, numRuns: 500 });
  });

  it('stays in order over many blocks', () => {
    const keys = new SortedKeys();
    const all = Array.from({ length: 20_000 }, (_, index) => String((index * 7919) % 20_000).padStart(5, '0'));
    for (const key of all) keys.add(key);
    const sorted = [...all].sort();
    expect(keys.slice('', '~', Infinity)).to.deep.equal(sorted);
    expect(keys.slice('09999', '10002', 9)).to.deep.equal(['09999', '10000', '10001']);
    for (const key of sorted.slice(100, 19_900)) keys.delete(key);
    expect(keys.slice('', '~', Infinity)).to.deep.equal([...sorted.slice(0, 100), ...sorted.slice(19_900)]);
    for (const key of all) keys.delete(key);
    expect(keys.slice('', '~', 1)).to.deep.equal([]);
  });
});
