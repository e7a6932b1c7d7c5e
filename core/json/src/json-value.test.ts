import { expect } from 'chai';
import { toJson } from './json-value.js';

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
