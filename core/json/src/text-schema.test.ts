import { expect } from 'chai';
import { compileSchema } from './schema-compiler.js';
import { forTexts } from './text-schema.js';

const [NUMBER, FLAG, TEXT, LIST] = [{ type: 'number' }, { type: 'boolean' }, { type: 'string' }, { type: 'array', items: { type: 'number' } }];

/** What becomes of a parameter; undefined when it is refused. */
function read(schema: object, value: unknown, defs: object = {}): unknown {
  const query = { n: value };
  return compileSchema({ type: 'object', properties: { n: schema }, $defs: defs }, 'query')(query) ? query.n : undefined;
}

describe('a schema for texts', () => {
  const cases: readonly [object, unknown, unknown][] = [
    [{ oneOf: [NUMBER, FLAG] }, '1', 1],
    [{ oneOf: [NUMBER, FLAG] }, 'true', true],
    [{ oneOf: [{ $ref: '#/$defs/Number' }, FLAG] }, '1', 1],
    [{ oneOf: [NUMBER, FLAG] }, 'x', undefined],
    [{ oneOf: [{ type: 'integer', minimum: 1 }, { type: 'number', maximum: 3 }] }, '2', undefined],
    [{ const: 1 }, '1', 1],
    [{ enum: [1, 2] }, '3', undefined],
    [{ oneOf: [{ const: 1 }, { const: true }] }, 'true', true],
    [LIST, '1', [1]],
    [{ anyOf: [NUMBER, LIST] }, ['1'], [1]],
    [{ oneOf: [NUMBER, LIST] }, ['1', '2'], [1, 2]],
    [{ oneOf: [NUMBER, { ...LIST, minItems: 2 }] }, ['1'], 1],
    [{ anyOf: [TEXT, { type: 'array', items: TEXT }] }, ['x'], ['x']],
  ];
  for (const [schema, value, expected] of cases) {
    it(`reads ${JSON.stringify(value)} by ${JSON.stringify(schema)}`, () => expect(read(schema, value, { Number: NUMBER })).to.deep.equal(expected));
  }

  it('reads by the option of an object that fits', () => {
    const option = (kind: string, n: object): object => ({ type: 'object', properties: { kind: { const: kind }, n }, required: ['kind'] });
    const check = compileSchema({ oneOf: [option('one', NUMBER), option('many', LIST)] }, 'query');
    const queries: object[] = [{ kind: 'one', n: ['1'] }, { kind: 'many', n: ['1'] }, { kind: 'many', n: '1' }];
    expect(queries.map((query) => check(query))).to.deep.equal([true, true, true]);
    expect(queries).to.deep.equal([{ kind: 'one', n: 1 }, { kind: 'many', n: [1] }, { kind: 'many', n: [1] }]);
  });

  it('leaves the options of an object alone, which may fit together', () => {
    const schema = { oneOf: [{ type: 'object', required: ['a'] }, { type: 'object', required: ['b'] }] };
    expect(forTexts(schema)).to.deep.equal(schema);
    expect(forTexts({ oneOf: [{ minimum: 3 }, { maximum: 5 }] })).to.deep.equal({ oneOf: [{ minimum: 3 }, { maximum: 5 }] });
  });
});
