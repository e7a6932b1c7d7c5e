import { expect } from 'chai';
import { checkListOptions, nameFault, shownValue } from './index.js';

const check = (options: unknown): unknown => checkListOptions(options, (fault) => new Error(fault));

describe('options of listings', () => {
  for (const options of [undefined, null, {}, { prefix: null, limit: null, cursor: null }, { prefix: '' }]) {
    it(`takes ${JSON.stringify(options)} as the first hundred`, () => {
      expect(check(options)).to.deep.equal({ limit: 100 });
    });
  }

  it('keeps what is given', () => {
    expect(check({ prefix: 'a', limit: 1000, cursor: 'c' })).to.deep.equal({ prefix: 'a', limit: 1000, cursor: 'c' });
  });

  const faults: readonly (readonly [unknown, string])[] = [
    [{ limit: 0 }, 'limit must be a whole number from 1 to 1000, got 0'], [{ limit: 1001 }, 'limit must be a whole number from 1 to 1000, got 1001'],
    [{ limit: '5' }, 'limit must be a whole number from 1 to 1000, got string'], [{ cursor: '' }, 'cursor must be one that a former page gave, got string'],
    [{ cursor: 'x'.repeat(4097) }, 'cursor must be one that a former page gave, got string'], [{ cursor: true }, 'cursor must be one that a former page gave, got true'],
    [{ prefix: [] }, 'prefix must be text, got a list'], [{ prefix: 'é'.repeat(257) }, 'prefix has 514 bytes; at most 512 are allowed'],
  ];
  for (const [options, fault] of faults) {
    it(`refuses ${JSON.stringify(options).slice(0, 40)}`, () => expect(() => check(options)).to.throw(fault));
  }
});

describe('names', () => {
  it('may be any text of 1 to 512 bytes', () => {
    expect(['a', '\u0000', '😀'.repeat(128), '__proto__'].map((name) => nameFault('key', name))).to.deep.equal([undefined, undefined, undefined, undefined]);
    expect(nameFault('key', '')).to.equal('key must not be empty');
    expect(nameFault('key', null)).to.equal('key must be text, got null');
    expect(nameFault('key', '\ud83d')).to.equal('key holds half of a surrogate pair, which is no text');
    expect(nameFault('key', 'x'.repeat(513))).to.equal('key has 513 bytes; at most 512 are allowed');
  });
});

describe('values in faults', () => {
  it('show what is short and name the type of the rest', () => {
    expect([1.5, false, 'secret', [1], null, undefined, {}].map(shownValue)).to.deep.equal(['1.5', 'false', 'string', 'a list', 'null', 'undefined', 'object']);
  });
});
