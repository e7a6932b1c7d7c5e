import { expect } from 'chai';
import { SchemaCheck } from './schema-check.js';

const told = (schema: object, value: unknown): readonly string[] =>
  (new SchemaCheck(schema, 'body').check(value, 0)?.issues ?? []).map(({ path, message, code }) => `${path}: ${message} (${code})`);

const CARD = { type: 'object', required: ['kind', 'number'], properties: { kind: { const: 'card' }, number: { type: 'string' } } };
const BANK = { type: 'object', required: ['kind', 'iban'], properties: { kind: { enum: ['bank', 'giro'] }, iban: { type: 'string', minLength: 2 } } };
const $defs = { Card: CARD, Bank: BANK, Node: { anyOf: [{ type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/Node' } } }, { type: 'null' }] } };
const REFERRED = { $defs, properties: { by: { anyOf: [{ $ref: '#/$defs/Card' }, { $ref: '#/$defs/Bank' }] } } };
const MAPPED = { $defs, oneOf: [{ $ref: '#/$defs/Card' }, { $ref: '#/$defs/Bank' }], discriminator: { propertyName: 'kind', mapping: { card: '#/$defs/Card', bank: '#/$defs/Bank' } } };

describe('the faults of a value', () => {
  const cases: readonly [string, object, unknown, readonly string[]][] = [
    ['of the branch that a member names', { anyOf: [CARD, BANK] }, { kind: 'card', iban: 7 }, ['number: is required (invalid_type)']],
    ['of the branch that a member names, by reference', REFERRED, { by: { kind: 'giro', iban: 'D' } }, ['by.iban: must NOT have fewer than 2 characters (too_small)']],
    ['of the branch that a member names, with a mapping for tools', MAPPED, { kind: 'bank' }, ['iban: is required (invalid_type)']],
    ['of the member itself when it names no branch', { anyOf: [CARD, BANK] }, { kind: 'secret' }, ['kind: must be equal to one of the allowed values (invalid_value)']],
    ['of the member itself when it is missing', { oneOf: [CARD, BANK] }, {}, ['kind: is required (invalid_value)']],
    ['of the member itself when it is no text', { oneOf: [CARD, BANK] }, { kind: 7 }, ['kind: must be string (invalid_value)']],
    ['of the whole when it can have no such member', { oneOf: [CARD, BANK] }, 'card', [': must be object (invalid_type)']],
    ['of the only branch of its type', { properties: { a: { anyOf: [CARD, { type: 'null' }] } } }, { a: { kind: 'card' } }, ['a.number: is required (invalid_type)']],
    ['of its type, once', { properties: { a: { anyOf: [{ type: 'string' }, { type: ['integer', 'null'] }] } } }, { a: [] }, ['a: must be string or integer or null (invalid_type)']],
    ['of the union when there is no telling', { anyOf: [{ minLength: 3 }, { pattern: '^x' }] }, 'a', [': must match a schema in anyOf (invalid_union)']],
    ['of a union that fits too often', { oneOf: [{ minLength: 1 }, { pattern: '^x' }] }, 'x', [': must match exactly one schema in oneOf (invalid_union)']],
    ['of a union and of what stands beside it', { minLength: 3, anyOf: [{ const: 'a' }, { const: 'b' }] }, 'x', [': must match a schema in anyOf (invalid_union)', ': must NOT have fewer than 3 characters (too_small)']],
    ['deep in a recursive union', { $defs, $ref: '#/$defs/Node' }, { next: { next: { next: 7 } } }, ['next.next.next: must be object or null (invalid_type)']],
    ['of a format, not of its pattern', { format: 'email', pattern: '^[^@]+@[^@]+$' }, 'x', [': must match format "email" (invalid_format)']],
    ['of a pattern alone', { format: 'email', pattern: '^a' }, 'x@b.test', [': must match pattern "^a" (invalid_format)']],
    ['of the name of a member', { propertyNames: { maxLength: 1 } }, { ab: 1 }, [': property name must be valid (invalid_key)']],
    ['of a list that lacks something', { contains: { type: 'string' } }, [1, 2], [': must contain at least 1 valid item(s) (too_small)']],
  ];
  for (const [what, schema, value, expected] of cases) {
    it(`are told once: ${what}`, () => {
      expect(told(schema, value)).to.deep.equal(expected);
    });
  }

  it('do not include a value that is taken', () => {
    for (const value of [{ kind: 'card', number: '1' }, { kind: 'giro', iban: 'DE' }]) {
      for (const schema of [{ anyOf: [CARD, BANK] }, { oneOf: [CARD, BANK] }, MAPPED]) expect(told(schema, value)).to.deep.equal([]);
    }
  });

  it('leaves unions alone that a member does not decide', () => {
    const optional = { ...CARD, required: ['number'] };
    expect(told({ anyOf: [optional, BANK] }, { number: '1' })).to.deep.equal([]);
    expect(told({ anyOf: [CARD, { ...BANK, type: ['object', 'null'] }] }, null)).to.deep.equal([]);
    expect(told({ anyOf: [CARD, { ...CARD, required: ['kind'] }] }, { kind: 'card' })).to.deep.equal([]);
  });
});
