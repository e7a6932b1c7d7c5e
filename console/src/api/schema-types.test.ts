import { expect } from 'chai';

const { typeOf, typesOf } = await import(new URL('../../scripts/schema-types.mjs', import.meta.url).href) as { typeOf: (schema: object) => string; typesOf: (schemas: object) => string };

describe('types of JSON schemas', () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ type: 'string' }, 'string'], [{ type: ['number', 'null'] }, 'number | null'], [{ type: 'integer' }, 'number'], [{}, 'unknown'], [{ not: {} }, 'never'],
    [{ enum: ['a', 1, null] }, '"a" | 1 | null'], [{ const: 'x' }, '"x"'], [{ $ref: '#/components/schemas/Meta' }, 'Meta'],
    [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, 'readonly (string | number)[]'],
    [{ type: 'array', items: [{ type: 'string' }, { type: 'number' }], minItems: 2, maxItems: 2 }, 'readonly [string, number]'],
    [{ type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 }, 'readonly [string, string]'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ readonly [name: string]: number }'], [{ type: 'object', additionalProperties: false }, '{ readonly [name: string]: never }'],
    [{ type: 'object', properties: { a: {}, 'b.c': { type: 'null' } }, required: ['a'], additionalProperties: false }, '{\n  readonly a: unknown;\n  readonly "b.c"?: null;\n}'],
    [{ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: {} }, '{\n  readonly a?: string;\n} & { readonly [name: string]: unknown }'],
    [{ allOf: [{ $ref: '#/components/schemas/A' }, { anyOf: [{ type: 'string' }, { type: 'null' }] }] }, 'A & (string | null)'],
  ];
  for (const [schema, type] of cases) it(`are ${type.replaceAll('\n', ' ')}`, () => expect(typeOf(schema)).to.equal(type));

  it('have the words of the schema', () => {
    expect(typesOf({ A: { type: 'string', description: 'One.' }, B: { type: 'object', properties: { a: { type: 'string', description: 'Two\nlines.' } }, additionalProperties: false } }))
      .to.equal('/** One. */\nexport type A = string;\n\nexport type B = {\n  /**\n   * Two\n   * lines.\n   */\n  readonly a?: string;\n};\n');
  });
});
