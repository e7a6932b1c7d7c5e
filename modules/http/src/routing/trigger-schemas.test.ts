import { expect } from 'chai';
import { lowerCaseHeaderNames, queryArrays } from './trigger-schemas.js';

const LIST = { type: 'array' };

describe('a query schema', () => {
  const namesOf = (schema: object | boolean): readonly string[] => [...queryArrays(schema).names];

  it('asks for arrays in properties', () => {
    const schema = {
      properties: {
        a: LIST, b: { type: ['null', 'array'] }, c: { anyOf: [{ type: 'string' }, LIST] }, d: { $ref: '#/$defs/A%20list' },
        e: { type: 'string' }, f: { items: {} }, g: { $ref: '#/properties/g' }, h: true,
      },
      $defs: { 'A list': LIST },
    };
    expect(namesOf(schema)).to.deep.equal(['a', 'b', 'c', 'd', 'f']);
    expect(namesOf(true)).to.deep.equal([]);
  });

  it('asks for arrays in every part of a composition', () => {
    const part = (name: string): object => ({ properties: { [name]: LIST } });
    const schema = {
      $ref: '#/$defs/Ref', $defs: { Ref: { allOf: [part('ref'), { $ref: '#' }] } }, allOf: [part('all')], anyOf: [part('any'), { oneOf: [part('one')] }],
      if: { properties: { k: { const: 1 } } }, then: part('then'), else: part('else'), dependentSchemas: { k: part('dependent') },
    };
    expect(namesOf(schema)).to.have.members(['ref', 'all', 'any', 'one', 'then', 'else', 'dependent']);
  });

  it('may ask for arrays under names that it does not list', () => {
    expect(queryArrays({ additionalProperties: LIST }).others).to.equal(true);
    expect(queryArrays({ anyOf: [{ patternProperties: { '^x': LIST } }] }).others).to.equal(true);
    expect(queryArrays({ properties: { a: LIST }, additionalProperties: { type: 'string' } }).others).to.equal(false);
  });
});

describe('a schema of headers', () => {
  it('has its names in lower case, wherever it has some', () => {
    const named = (name: string): object => ({ properties: { [name]: { type: 'string', default: { 'X-Kept': 1 } } }, required: [name] });
    expect(lowerCaseHeaderNames({ anyOf: [named('X-A'), { allOf: [named('X-B')] }], $ref: '#/$defs/More', $defs: { More: named('X-C') }, dependentRequired: { 'X-D': ['X-A'] } }))
      .to.deep.equal({ anyOf: [named('x-a'), { allOf: [named('x-b')] }], $ref: '#/$defs/More', $defs: { More: named('x-c') }, dependentRequired: { 'x-d': ['x-a'] } });
  });

  it('refers to the names that it has then', () => {
    const schema = { properties: { 'X-A': {}, properties: { $ref: '#/properties/X-A' }, 'X-B': { $ref: '#/$defs/properties/Of' } }, $defs: { properties: { Of: {} } } };
    expect(lowerCaseHeaderNames(schema)).to.deep.equal({
      properties: { 'x-a': {}, properties: { $ref: '#/properties/x-a' }, 'x-b': { $ref: '#/$defs/properties/Of' } }, $defs: { properties: { Of: {} } },
    });
  });
});
