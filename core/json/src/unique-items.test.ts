import { expect } from 'chai';
import fc from 'fast-check';
import { sameJson } from './same-json.js';
import { duplicatesOf } from './unique-items.js';

const json = fc.jsonValue({ maxDepth: 2 });
const few = fc.oneof(json, fc.constantFrom(0, -0, 1, '1', 'null', null, true, 'true', [], {}, [1], ['1'], '[1]', { a: 1, b: 2 }, { b: 2, a: 1 }, { __proto__: null, valueOf: 1 }, { toString: 'x', constructor: 1 }));

describe('duplicatesOf', () => {
  it('finds equal items exactly where comparing each with each does', () => {
    fc.assert(fc.property(fc.array(few, { maxLength: 12 }), (items) => {
      const found = duplicatesOf(items);
      const expected = items.some((item, index) => items.slice(index + 1).some((other) => sameJson(item, other)));
      expect(found !== undefined).to.equal(expected);
      if (found) expect(sameJson(items[found.first], items[found.second]) && found.first < found.second).to.equal(true);
    }), { numRuns: 3_000 });
  });

  it('is not slowed down by numbers and texts that share a hash', () => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => index * 65_536);
    const began = process.cpuUsage();
    expect(duplicatesOf(numbers)).to.equal(undefined);
    expect(duplicatesOf(numbers.map(String))).to.equal(undefined);
    expect(duplicatesOf(numbers.map((number) => [number]))).to.equal(undefined);
    expect(process.cpuUsage(began).user, 'microseconds').to.be.below(3_000_000);
  });
});

describe('sameJson', () => {
  it('compares members in any order and calls nothing that a value brings along', () => {
    expect(sameJson({ a: [1, { b: 2 }], c: 3 }, { c: 3, a: [1, { b: 2 }] })).to.equal(true);
    expect(sameJson({ valueOf: 1 }, { valueOf: 1 })).to.equal(true);
    expect(sameJson({ toString: 1 }, { toString: 2 })).to.equal(false);
    expect(sameJson({ a: undefined }, { b: 1 })).to.equal(false);
    expect(sameJson([], {})).to.equal(false);
    expect(sameJson([1], [1, 2])).to.equal(false);
  });
});
