import { expect } from 'chai';
import { checkBatchParts, toJson, writeJson } from './json-value.js';

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let count = 0; count < depth; count++) value = count % 2 === 0 ? [value] : { a: value };
  return value;
};

describe('values', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const refused: readonly (readonly [string, unknown, string])[] = [
    ['undefined', undefined, 'undefined'],
    ['NaN', { a: [1, Number.NaN] }, 'NaN is no JSON number at a.1'],
    ['Infinity', [-Infinity], '-Infinity is no JSON number at 0'],
    ['a function', { on: () => 1 }, 'a function at on'],
    ['a symbol', { a: { b: Symbol('x') } }, 'a symbol at a.b'],
    ['a BigInt', 10n, 'a bigint'],
    ['a Map', { a: new Map([[1, 2]]) }, 'a Map at a'],
    ['a Set', [new Set([1])], 'a Set at 0'],
    ['undefined in a list', [[undefined]], 'undefined at 0.0'],
    ['a cycle', cycle, 'nested deeper than 100, or a cycle, below here at self.self.self.self.self.self'],
    ['depth 101', nested(101), 'nested deeper than 100'],
    ['NaN from toJSON', { at: { toJSON: () => Number.NaN } }, 'NaN is no JSON number at at'],
    ['toJSON without end', { toJSON: () => ({ toJSON: () => 1 }) }, 'an object whose toJSON gives another one with toJSON'],
  ];
  for (const [name, value, text] of refused) {
    it(`refuses ${name}`, () => {
      expect(() => toJson(value)).to.throw(`the value is not JSON: ${text}`).with.property('code', 'InvalidValue');
    });
  }

  it('calls a value what its caller calls it', () => {
    expect(() => writeJson([() => 1], 'the item')).to.throw('the item is not JSON: a function at 0');
    expect(() => writeJson('x'.repeat(1_000_001), 'the item')).to.throw('the item has 1000003 bytes as JSON; at most 1000000 are stored');
  });

  it('writes a value once, and reads it only for those who ask', () => {
    const value = { a: [1, 5], b: undefined };
    const written = writeJson(value);
    value.a.push(2);
    expect([written.text, written.value, JSON.stringify({ written })]).to.deep.equal(['{"a":[1,5]}', { a: [1, 5] }, '{"written":{"a":[1,5]}}']);
  });

  it('holds the messages of a batch to a limit of their own', () => {
    const items = new Array(50_000).fill(1);
    const keys = (from: number): object => Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`k${from + index}`, 1]));
    const check = (...values: unknown[]) => (): void => checkBatchParts(values, JSON.stringify(values).length);
    expect(check(items, items, items, items, [1])).to.throw('the batch has more than 200000 members and elements; enqueue them in several batches');
    expect(check(keys(0), keys(20_000))).to.throw('the batch has more than 20000 different keys');
    check(items, items, items, items)();
    check(keys(0), keys(0))();
  });

  it('refuses what takes long because it consists of very many parts', () => {
    const most = (limit: string): string => `the value has more than ${limit}; store it in several parts, or as text`;
    const keys = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
    expect(() => toJson(new Array(100_001).fill(1))).to.throw(most('100000 members and elements')).with.property('code', 'InvalidValue');
    expect(() => toJson(keys(20_001))).to.throw(most('20000 different keys')).with.property('code', 'InvalidValue');
    expect(() => toJson(Array.from({ length: 33_400 }, () => ({ a: 1, b: 2 })))).to.throw(most('100000 members and elements'));
    const same = Array.from({ length: 33_000 }, () => ({ a: 1, b: 2 }));
    expect(toJson(same)).to.deep.equal(same);
    expect(toJson(keys(20_000))).to.deep.equal(keys(20_000));
  });

  it('takes 100 levels', () => {
    expect(toJson(nested(100))).to.deep.equal(nested(100));
  });

  it('copies, honours toJSON and leaves out members that are undefined', () => {
    const value = { a: [{ b: 1 }], at: new Date(0), none: undefined };
    const json = toJson(value) as unknown as typeof value;
    expect(json).to.deep.equal({ a: [{ b: 1 }], at: '1970-01-01T00:00:00.000Z' });
    expect(json.a).not.to.equal(value.a);
  });

  it('takes __proto__ for a member like any other', () => {
    const json = toJson(JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": 1}}')) as Record<string, unknown>;
    expect(JSON.stringify(json)).to.equal('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}');
    expect(Object.getPrototypeOf(json)).to.equal(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  it('takes 1,000,000 bytes of JSON and no more, counting bytes', () => {
    expect(toJson('x'.repeat(999_998))).to.have.length(999_998);
    expect(() => toJson('x'.repeat(999_999))).to.throw('the value has 1000001 bytes as JSON; at most 1000000 are stored');
    expect(() => toJson('é'.repeat(500_000))).to.throw('1000002 bytes');
  });
});
