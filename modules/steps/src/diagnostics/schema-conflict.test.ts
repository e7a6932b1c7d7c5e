import { expect } from 'chai';
import fc from 'fast-check';
import { schemaConflict } from './schema-conflict.js';

const object = (properties: object, required: readonly string[] = Object.keys(properties), more: object = {}): object => ({ type: 'object', properties, required, ...more });
const text = { type: 'string' };
const number = { type: 'number' };

describe('schemaConflict', () => {
  const conflicts: readonly (readonly [string, unknown, unknown, string])[] = [
    ['types', text, number, 'the message is string in one and number in the other'],
    ['lists of types', { type: ['string', 'null'] }, { type: ['number', 'boolean'] }, 'the message is string or null in one and number or boolean in the other'],
    ['values', { enum: ['a', 'b'] }, { const: 'c' }, 'the message has no value that both allow'],
    ['a required property', object({ id: text }), object({ id: number }, []), '"id" is string in one and number in the other'],
    ['a deep property', object({ a: object({ b: text }) }), object({ a: object({ b: number }) }), '"a.b" is string in one and number in the other'],
    ['a property that is not allowed', object({ id: text, at: text }), object({ id: text }, ['id'], { additionalProperties: false }), '"at" is required by one and not allowed by the other'],
    ['a property of another kind than further ones', object({ id: text }), object({}, [], { additionalProperties: number }), '"id" is string in one and number in the other'],
    ['all alternatives', { anyOf: [text, { type: 'null' }] }, { oneOf: [number, { type: 'array' }] }, 'the message is number in one and string in the other'],
    ['a part of allOf', { allOf: [object({ id: text })] }, object({ id: number }), '"id" is string in one and number in the other'],
  ];
  for (const [name, a, b, reason] of conflicts) {
    it(`finds ${name}, whichever comes first`, () => {
      expect(schemaConflict(a, b)).to.equal(reason);
      expect(schemaConflict(b, a)).to.be.a('string');
    });
  }

  const peace: readonly (readonly [string, unknown, unknown])[] = [
    ['integers are numbers', { type: 'integer' }, number],
    ['optional properties may be left out', object({ id: text }, []), object({ id: number }, [])],
    ['one alternative is enough', { anyOf: [text, number] }, number],
    ['further properties are allowed', object({ a: text }), object({ b: number })],
    ['patterns may allow a property', object({ a: text }), object({}, [], { additionalProperties: false, patternProperties: { '.': {} } })],
    ['references are not followed', { $ref: '#/$defs/a' }, text],
    ['what is no object cannot be compared', true, text],
    ['nothing is said', {}, text],
  ];
  for (const [name, a, b] of peace) {
    it(`finds nothing when ${name}`, () => {
      expect([schemaConflict(a, b), schemaConflict(b, a)]).to.deep.equal([undefined, undefined]);
    });
  }

  it('never finds a conflict of a schema with itself, and never throws', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      schemaConflict(a, b);
      return true;
    }));
    for (const [, a] of peace) expect(schemaConflict(a, a)).to.equal(undefined);
  });
});
