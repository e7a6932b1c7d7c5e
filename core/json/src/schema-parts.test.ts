import { expect } from 'chai';
import { compileSchema } from './schema-compiler.js';
import { partAt, partsOf } from './schema-parts.js';
import { slowPatternsOf } from './slow-patterns.js';

const SLOW = '^(a+)+\\1$';

describe('the parts of a schema', () => {
  it('are schemas behind names, whatever these look like, and never values', () => {
    const part = { type: 'string' };
    expect(partsOf({ properties: { default: part, enum: part }, default: { type: 'x' }, const: [], examples: [1], $defs: { example: part } })).to.deep.equal([part, part, part]);
    expect(partsOf({ items: part, anyOf: [part] })).to.deep.equal([part, [part]]);
  });

  it('are found by references that are encoded as URIs are', () => {
    const root = { $defs: { 'a b': 1, 'c/d': 2, '100%': 3 } };
    expect(['#/$defs/a%20b', '#/%24defs/a b', '#/$defs/c~1d', '#/$defs/100%', '#/$defs/100%25', '#/$defs/e', 'x'].map((reference) => partAt(reference, root)))
      .to.deep.equal([1, 1, 2, 3, 3, undefined, undefined]);
  });

  it('are looked at for slow patterns', () => {
    const pattern = { pattern: SLOW };
    const found = (schema: object): readonly string[] => slowPatternsOf(schema).map(({ source }) => source);
    expect(found(pattern)).to.deep.equal([SLOW]);
    for (const name of ['default', 'const', 'enum', 'examples', 'pattern']) expect(found({ properties: { [name]: pattern } }), name).to.deep.equal([SLOW]);
    expect(found({ properties: { a: { default: pattern } } })).to.deep.equal([]);
    expect(found({ properties: { patternProperties: { const: { [SLOW]: 1 } } } })).to.deep.equal([]);
  });

  it('of a union may be named in a way that is no encoding', () => {
    const branch = (kind: string): object => ({ type: 'object', properties: { kind: { const: kind } }, required: ['kind'] });
    const check = compileSchema({ $defs: { '100%25': branch('a') }, oneOf: [{ $ref: '#/$defs/100%2525' }, branch('b')] }, 'first');
    expect([check({ kind: 'a' }), check({ kind: 'c' })]).to.deep.equal([true, false]);
    expect(() => compileSchema({ $defs: { '100%': branch('a') }, oneOf: [{ $ref: '#/$defs/100%' }, branch('b')] }, 'first')).to.throw(/URI|resolve/);
  });
});
