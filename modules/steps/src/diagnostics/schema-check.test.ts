import type { ConfigSchema } from '@treadle/api';
import { expect } from 'chai';
import { checkSchema } from './schema-check.js';

describe('checkSchema', () => {
  const cases: readonly (readonly [ConfigSchema, unknown, readonly string[]])[] = [
    [{ type: ['string', 'null'] }, null, []],
    [{ type: ['string', 'null'] }, 1.5, ['x: expected string or null, got 1.5']],
    [{ type: 'integer' }, 1.5, ['x: expected integer, got 1.5']],
    [{ type: 'number' }, 1, []],
    [{ type: 'boolean' }, 'y'.repeat(80), [`x: expected boolean, got "${'y'.repeat(56)}...`]],
    [{ const: 5 }, 6, ['x: expected 5, got 6']],
    [{ const: 5 }, 5, []],
    [{ maximum: 3 }, 4, ['x: must be <= 3; got 4']],
    [{ maxLength: 2 }, 'abc', ['x: must have at most 2 characters']],
    [{ pattern: '^a' }, 'b', ['x: must match ^a; got "b"']],
    [{ pattern: '^a' }, 'ab', []],
    [{ minItems: 1 }, [], ['x: must have at least 1 items']],
    [{ maxItems: 1 }, [1, 2], ['x: must have at most 1 items']],
    [{ items: { type: 'string' } }, ['a', 1, 2], ['x[1]: expected string, got 1', 'x[2]: expected string, got 2']],
    [{ additionalProperties: { type: 'string' } }, { a: 1 }, ['x.a: expected string, got 1']],
    [{ additionalProperties: false, properties: {} }, JSON.parse('{"__proto__": 1}'), ['x: it has no key "__proto__"']],
    [{ required: ['toString'] }, {}, ['x: it needs "toString"']],
    [{ anyOf: [{ type: 'integer' }, { const: false }] }, false, []],
    [{ anyOf: [{ type: 'integer' }, { const: false }] }, 'a', ['x: expected integer, got "a"']],
    [{ oneOf: [{ type: 'string' }] }, 1, ['x: expected string, got 1']],
    [{ allOf: [{ minimum: 1 }, { maximum: 3 }] }, 0, ['x: must be >= 1; got 0']],
    [{ not: { const: 1 } }, 1, ['x: 1 is not allowed here']],
    [{ not: { const: 1 } }, 2, []],
    [{ if: { const: 1 }, then: { const: 2 }, else: { const: 3 } }, 4, ['x: expected 3, got 4']],
    [{ if: { type: 'integer' }, then: { minimum: 5 } }, 4, ['x: must be >= 5; got 4']],
    [{ if: { type: 'integer' }, then: { minimum: 5 } }, 'a', []],
  ];
  for (const [schema, value, messages] of cases) {
    it(`${JSON.stringify(schema)} ${messages.length > 0 ? 'refuses' : 'takes'} ${JSON.stringify(value)}`, () => {
      const findings = checkSchema(value, schema, { path: 'x', owner: 'it' });
      expect(findings.map((finding) => finding.message)).to.deep.equal(messages);
    });
  }

  it('says of a key that is written a level too high where it belongs', () => {
    const schema: ConfigSchema = { properties: { topic: {}, config: { properties: { maxAttempts: {} } } }, additionalProperties: false };
    const remedies = (value: object): readonly string[] => checkSchema(value, schema, { path: 'x', owner: 'it' }).map(({ remedy }) => remedy);
    expect(remedies({ maxAttempts: 3 })).to.deep.equal(['write it inside "config"']);
    expect(remedies({ toString: 3 })).to.deep.equal(['known keys: topic, config']);
  });
});
