import { expect } from 'chai';
import { outlineOf } from './outline.js';

describe('outlineOf', () => {
  it('keeps what says what an object is about', () => {
    expect(outlineOf({ type: 'update', group: 'g', key: 'k', oldValue: 'x'.repeat(5000), newValue: [1], n: 1, on: true, gone: null }))
      .to.deep.equal({ type: 'update', group: 'g', key: 'k', n: 1, on: true, gone: null });
    expect(outlineOf({ id: 'a', event: { type: 'create', data: { deep: { deeper: 1 } } } })).to.deep.equal({ id: 'a', event: { type: 'create' } });
  });

  it('is short whatever the value has', () => {
    expect(Object.keys(outlineOf(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n]))) ?? {})).to.have.length(8);
    expect(Object.keys(outlineOf(JSON.parse('{"__proto__":"x","a":1}')) ?? {})).to.deep.equal(['__proto__', 'a']);
    for (const value of [[1], 'x', null, undefined, 7]) expect(outlineOf(value)).to.equal(undefined);
  });
});
