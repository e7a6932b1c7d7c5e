import type { Json } from '@treadle/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { applyUpdate } from './apply-update.js';
import { checkOperations } from './update-operation.js';

const update = (value: Json | undefined, ...operations: unknown[]): Json | undefined => applyUpdate(value, checkOperations(operations))?.value;

describe('updates', () => {
  const cases: readonly (readonly [string, Json | undefined, readonly unknown[], Json | undefined])[] = [
    ['sets the whole value', { a: 1 }, [{ type: 'set', value: [1] }], [1]],
    ['sets a member', { a: 1 }, [{ type: 'set', path: 'b', value: null }], { a: 1, b: null }],
    ['makes the objects on the way', undefined, [{ type: 'set', path: 'a.b.0', value: 1 }], { a: { b: { 0: 1 } } }],
    ['sets an item and one behind the last', { l: [1, 2] }, [{ type: 'set', path: 'l.0', value: 9 }, { type: 'set', path: ['l', 2], value: 3 }], { l: [9, 2, 3] }],
    ['takes dots literally in a list of keys', {}, [{ type: 'set', path: ['a.b', ''], value: 1 }], { 'a.b': { '': 1 } }],
    ['merges the members of one object', { o: { a: { x: 1 }, b: 1 } }, [{ type: 'merge', path: 'o', value: { a: { y: 2 } } }], { o: { a: { y: 2 }, b: 1 } }],
    ['merges into nothing', undefined, [{ type: 'merge', value: { a: 1 } }], { a: 1 }],
    ['counts from 0', undefined, [{ type: 'increment' }], 1],
    ['increments and decrements', { n: 5 }, [{ type: 'increment', path: 'n', by: 2.5 }, { type: 'decrement', path: 'n' }], { n: 6.5 }],
    ['appends', { l: [1] }, [{ type: 'append', path: 'l', value: [2] }, { type: 'append', path: 'm', value: 1 }], { l: [1, [2]], m: [1] }],
    ['removes a member, an item and what is not there', { a: 1, l: [1, 2, 3] },
      [{ type: 'remove', path: 'a' }, { type: 'remove', path: 'l.1' }, { type: 'remove', path: 'x.y.z' }, { type: 'remove', path: 'l.7' }], { l: [1, 3] }],
    ['removes the whole value', { a: 1 }, [{ type: 'remove' }], undefined],
    ['applies in order', 1, [{ type: 'remove' }, { type: 'append', value: 1 }, { type: 'append', value: 2 }], [1, 2]],
    ['does nothing without operations', { a: 1 }, [], { a: 1 }],
  ];
  for (const [name, before, operations, after] of cases) {
    it(name, () => {
      const copy = JSON.stringify(before);
      expect(update(before, ...operations)).to.deep.equal(after);
      expect(JSON.stringify(before), 'the value itself is left alone').to.equal(copy);
    });
  }

  const faults: readonly (readonly [string, Json | undefined, unknown, string])[] = [
    ['an unknown type', 1, { type: 'push' }, 'operation 1: type must be set, merge, increment, decrement, append or remove, got "push"'],
    ['no object', 1, null, 'operation 1: an operation is an object with a type'],
    ['a value that is not JSON', 1, { type: 'set', value: { a: Number.NaN } }, 'operation 1: the value is not JSON: NaN is no JSON number at a'],
    ['a missing value', 1, { type: 'set' }, 'operation 1: the value is not JSON: undefined'],
    ['a misspelt key', 1, { type: 'increment', amount: 2 }, 'operation 1: an operation has no "amount"; it takes type, path, value and by'],
    ['an amount that is no number', 1, { type: 'increment', by: '1' }, 'operation 1: by must be a finite number, got string'],
    ['an empty part', 1, { type: 'remove', path: 'a..b' }, 'operation 1: path "a..b" has an empty part; write a list of keys when a key is empty'],
    ['a part that is no key', 1, { type: 'remove', path: [-1] }, 'operation 1: a part of path must be text or a whole number from 0'],
    ['merging a list', {}, { type: 'merge', value: [] }, 'operation 1: merge needs an object as value'],
    ['merging into a number', { a: 1 }, { type: 'merge', path: 'a', value: {} }, 'operation 1: "a" is a number; merge needs an object there'],
    ['incrementing text', { a: 'x' }, { type: 'increment', path: 'a' }, 'operation 1: "a" is a string; increment and decrement need a number there'],
    ['incrementing beyond what a number holds', 1e308, { type: 'increment', by: 1.7e308 }, 'operation 1: the value would become Infinity'],
    ['appending to an object', {}, { type: 'append', value: 1 }, 'operation 1: the value is an object; append needs a list there'],
    ['going through text', { a: { b: 'x' } }, { type: 'set', path: 'a.b.c', value: 1 }, 'operation 1: "a.b" is a string, which has no "c"'],
    ['going through null', null, { type: 'set', path: 'a', value: 1 }, 'operation 1: the value is null, which has no "a"'],
    ['a gap in a list', [1], { type: 'set', path: [3], value: 1 }, 'operation 1: the value has 1 items; item 3 would leave a gap'],
    ['a list by name', { l: [1] }, { type: 'set', path: 'l.length', value: 0 }, 'operation 1: "l" is a list, which has no "length"'],
  ];
  for (const [name, value, operation, text] of faults) {
    it(`refuses ${name}, naming the operation`, () => {
      expect(() => applyUpdate(value, checkOperations([{ type: 'set', value: value ?? null }, operation]))).to.throw(text).with.property('code', 'InvalidUpdate');
    });
  }

  it('refuses what is no list, and too many', () => {
    expect(() => checkOperations({})).to.throw('an update takes a list of operations');
    expect(() => checkOperations(new Array(1001).fill({ type: 'increment' }))).to.throw('at most 1000 operations, got 1001');
  });

  it('refuses a result that is too deep or too large', () => {
    const deep = Array.from({ length: 100 }, () => 'a');
    expect(update({}, { type: 'set', path: deep, value: 1 })).to.be.an('object');
    expect(() => update({}, { type: 'set', path: deep, value: [1] })).to.throw('nested deeper than 100');
    const large = 'x'.repeat(600_000);
    expect(() => update(undefined, { type: 'append', value: large }, { type: 'append', value: large })).to.throw('at most 1000000 are stored');
  });

  it('never touches a prototype, whatever the path', () => {
    const part = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'a');
    const operation = fc.record({
      type: fc.constantFrom('set', 'merge', 'increment', 'append', 'remove'), path: fc.array(part, { maxLength: 4 }),
      value: fc.constantFrom({ polluted: 1 }, JSON.parse('{"__proto__": {"polluted": 1}}') as object),
    });
    fc.assert(fc.property(fc.array(operation, { maxLength: 4 }), (operations) => {
      let result: Json | undefined;
      try {
        result = update({ a: {} }, ...operations);
      } catch (error) {
        expect((error as Error).message).to.match(/^operation \d: /);
      }
      expect(Object.hasOwn(Object.prototype, 'polluted') || Object.hasOwn(Object, 'polluted')).to.equal(false);
      if (result !== undefined) expect(JSON.parse(JSON.stringify(result))).to.deep.equal(result);
    }), { seed: 20_260_101, numRuns: 500 });
    expect(JSON.stringify(update({}, { type: 'set', path: '__proto__.x', value: 1 }))).to.equal('{"__proto__":{"x":1}}');
    expect(JSON.stringify(update({}, { type: 'increment', path: 'constructor' }))).to.equal('{"constructor":1}');
  });
});
