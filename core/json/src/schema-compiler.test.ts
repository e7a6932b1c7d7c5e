import { expect } from 'chai';
import { compileSchema, type SchemaMode } from './schema-compiler.js';

const MODES: readonly SchemaMode[] = ['first', 'all', 'query', 'query-all'];

describe('compileSchema', () => {
  for (const mode of MODES) {
    it(`follows a schema into itself (${mode})`, () => {
      const tree = { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 }, children: { type: 'array', items: { $ref: '#' } } } };
      const validate = compileSchema(tree, mode);
      expect(validate({ name: 'a', children: [{ name: 'b', children: [] }] })).to.equal(true);
      expect(validate({ name: 'a', children: [{ name: '' }] })).to.equal(false);
    });

    it(`follows references to definitions and by id (${mode})`, () => {
      const schema = { $id: 'https://shop.example/tree', properties: { kind: { $ref: '#/$defs/Kind' }, next: { $ref: 'https://shop.example/tree' } }, $defs: { Kind: { enum: ['a'] } } };
      for (const fresh of [schema, structuredClone(schema)]) {
        const validate = compileSchema(fresh, mode);
        expect(validate({ kind: 'a', next: { kind: 'a' } })).to.equal(true);
        expect(validate({ next: { kind: 'b' } })).to.equal(false);
      }
    });

    it(`takes a boolean for everything or nothing (${mode})`, () => {
      expect(compileSchema(true, mode)({})).to.equal(true);
      expect(compileSchema(false, mode)({})).to.equal(false);
    });
  }

  const cents = Array.from({ length: 10_000 }, (_, n) => (n + 1) / 100);
  const judged: readonly (readonly [what: string, schema: object, fits: readonly unknown[], not: readonly unknown[]])[] = [
    ['decimal multiples as they are written', { multipleOf: 0.01 }, [...cents, 0, -19.99, 1e15, 5e-2], [0.005, 19.995, 1e-20, 100.0000001, -0.011]],
    ['whole multiples exactly', { multipleOf: 3 }, [0, 9, -3, 9007199254740990], [1, 4.5, 9007199254740991, 1e-9]],
    ['multiples of 0 as none', { multipleOf: 0 }, [], [0, 1, 0.5]],
    ['whole numbers exactly', { multipleOf: 1 }, [0, -7, 4503599627370497, 1e300], [1.0000000000000002, 0.9999999999999999, 1125899906842624.5, 2251799813685248.5, -0.5, 5e-324]],
    ['multiples of five exactly', { multipleOf: 5 }, [0, -15, 1e300], [10.000000000000002, 9.999999999999998, 5e-324]],
    ['halves of large numbers', { multipleOf: 0.5 }, [0.5, 1125899906842624.5, 2251799813685248.5, -3], [1125899906842624.25, 562949953421312.25, 281474976710656.125, 0.25]],
    ['decimal multiples of large numbers', { multipleOf: 0.01 }, [123456789012.34, 99999999999.99, 9007199254740.99, 9007199254740.97, 4503599627370.13], [123456789012.345, 99999999999.995, 9007199254740.995]],
    ['members named as what every object inherits', { properties: { constructor: { type: 'string' }, valueOf: { type: 'string' } } }, [{}, { constructor: 'x' }], [{ constructor: {} }]],
    ['required members named so', { required: ['toString'] }, [{ toString: 1 }], [{}]],
    ['dependent members named so', { dependentRequired: { constructor: ['a'] }, dependentSchemas: { valueOf: { required: ['b'] } } }, [{}, { constructor: 1, a: 1 }], [{ constructor: 1 }, { valueOf: 1 }]],
  ];
  for (const [what, schema, fits, not] of judged) {
    it(`judges ${what}`, () => {
      for (const mode of MODES) {
        const validate = compileSchema(schema, mode);
        expect(fits.filter((value) => !validate(value)), 'refused').to.deep.equal([]);
        expect(not.filter((value) => validate(value)), 'taken').to.deep.equal([]);
      }
    });
  }

  it('leaves patterns of another language to the library that knows it', () => {
    const text = { type: 'string', pattern: '(?i)^\\d{3}\\-x$' };
    const names = { type: 'object', patternProperties: { '\\Ax-': { type: 'integer' } }, additionalProperties: false };
    const pydantic = { 'x-treadle-library': 'pydantic', type: 'object', properties: { text, names, plain: { pattern: '^a$' } }, required: ['text'] };
    for (const mode of MODES) {
      const validate = compileSchema(pydantic, mode);
      expect([validate({ text: '123-X', names: { 'x-a': 1 } }), validate({ text: {} }), validate({ text: '', plain: 'b' })]).to.deep.equal([true, false, false]);
      expect(() => compileSchema(text, mode), 'without a library').to.throw('Invalid regular expression');
    }
  });

  const nonSchemas: readonly (readonly [object, string])[] = [
    [{ properties: { id: 'string' } }, 'properties.id must be a schema, which is an object or a boolean; it is "string"'],
    [{ type: 'array', items: { properties: { a: { properties: { b: null } } } } }, 'items.properties.a.properties.b must be a schema, which is an object or a boolean; it is null'],
    [{ anyOf: [{}, ['string']] }, 'anyOf[1] must be a schema, which is an object or a boolean; it is ["string"]'],
    [{ $defs: { Id: 5 } }, '$defs.Id must be a schema, which is an object or a boolean; it is 5'],
  ];
  for (const [schema, text] of nonSchemas) {
    it(`refuses ${JSON.stringify(schema)}`, () => {
      for (const mode of MODES) expect(() => compileSchema(schema, mode)).to.throw(text);
    });
  }

  it('takes data that only looks like a schema', () => {
    const schema = { properties: { properties: { const: { properties: 'x' } } }, default: { anyOf: ['x'] }, examples: [{ $defs: { a: 1 } }] };
    expect(compileSchema(schema, 'first')({ properties: { properties: 'x' } })).to.equal(true);
  });

  it('compiles one object once and forgets a schema that it cannot compile', () => {
    const schema = { type: 'string' };
    expect(compileSchema(schema, 'first')).to.equal(compileSchema(schema, 'first'));
    const broken = { $id: 'https://shop.example/broken', $ref: '#/nowhere' };
    for (let turn = 0; turn < 2; turn++) expect(() => compileSchema(broken, 'first')).to.throw('nowhere');
    expect(compileSchema({ $id: 'https://shop.example/broken', type: 'string' }, 'first')('x')).to.equal(true);
  });
});
