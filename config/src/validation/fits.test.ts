import { createRequire } from 'node:module';
import type { ConfigSchema } from '@treadle/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { fits } from './fits.js';
import { EXTENSION_KEYWORDS, isUnderstood } from './keywords.js';

const { Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv');

const scalars = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, -1, 1.5, '', 'a', 'ab', '12', '😀', 'abc');
const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 }, scalars,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 3 }).map((entries) => {
      const map = Object.create(null) as Record<string, unknown>;
      for (const [key, item] of entries) map[key] = item;
      return map;
    }),
  ),
}));

const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object');
const small = fc.integer({ min: 0, max: 3 });
const optional = { requiredKeys: [] as [] };

const { schema } = fc.letrec<{ schema: ConfigSchema }>((tie) => {
  const branches = fc.array(tie('schema'), { minLength: 1, maxLength: 2 });
  const condition = fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }, { requiredKeys: ['if', 'then'] });
  const simple = fc.record({
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(scalars, { minLength: 1, maxLength: 4 }),
    const: scalars, minimum: small, maximum: small, minLength: small, maxLength: small, minItems: small, maxItems: small,
    pattern: fc.constantFrom('^a', 'b$', '^.$', '\\d'),
    required: fc.uniqueArray(fc.constantFrom('a', 'b'), { maxLength: 2 }),
    description: fc.constant('x'), 'x-unit': fc.constant('ms'),
  }, optional);
  const composed = fc.record({
    type, properties: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor'), tie('schema'), { maxKeys: 3 }),
    additionalProperties: fc.oneof(fc.boolean(), tie('schema')), items: tie('schema'),
    allOf: branches, anyOf: branches, oneOf: branches, not: tie('schema'),
  }, optional);
  return { schema: fc.oneof({ maxDepth: 3 }, simple, composed, condition) as fc.Arbitrary<ConfigSchema> };
});

describe('fits', () => {
  it('answers as ajv does for every schema that is understood', () => {
    let fitting = 0;
    fc.assert(fc.property(schema, fc.array(value, { minLength: 8, maxLength: 12 }), (rules, candidates) => {
      expect(isUnderstood(rules)).to.equal(true);
      const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, logger: false });
      ajv.addVocabulary([...EXTENSION_KEYWORDS]);
      for (const candidate of candidates) {
        const expected = ajv.validate(rules, candidate);
        if (expected) fitting += 1;
        expect(fits(candidate, rules)).to.equal(expected);
      }
    }), { numRuns: 120, seed: 20_261_120 });
    // Otherwise the property says nothing.
    expect(fitting).to.be.within(40, 1000);
  });

  it('takes no number that JSON does not have', () => {
    for (const number of [NaN, Infinity, -Infinity]) expect(fits(number, { type: 'number' })).to.equal(false);
  });
});

describe('isUnderstood', () => {
  const refused: readonly [string, object][] = [
    ['a keyword of ajv beyond our own', { format: 'uri' }],
    ['a misspelt keyword', { properties: { a: { minimun: 1 } } }],
    ['an unknown x- keyword', { 'x-foo': 1 }],
    ['a malformed rule', { minimum: '1' }],
    ['a malformed type', { type: 'text' }],
    ['a broken pattern', { pattern: '(' }],
    ['a condition without branches', { if: {} }],
    ['a branch without condition', { then: {} }],
    ['a deep enum', { enum: [[1]] }],
    ['tuples', { items: [{}] }],
    ['an empty union', { anyOf: [] }],
    ['required that is no list', { required: 'a' }],
    ['a count that is negative', { minLength: -1 }],
  ];
  for (const [name, rules] of refused) it(`leaves ${name} to ajv`, () => expect(isUnderstood(rules)).to.equal(false));

  it('leaves a schema that contains itself to ajv', () => {
    const rules: Record<string, unknown> = {};
    rules['items'] = rules;
    expect(isUnderstood(rules)).to.equal(false);
  });

  it('ignores keywords whose value is undefined', () => {
    expect(isUnderstood({ minimum: undefined } as unknown as ConfigSchema)).to.equal(true);
  });
});
