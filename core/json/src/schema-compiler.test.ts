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

  it('compiles one object once and forgets a schema that it cannot compile', () => {
    const schema = { type: 'string' };
    expect(compileSchema(schema, 'first')).to.equal(compileSchema(schema, 'first'));
    const broken = { $id: 'https://shop.example/broken', $ref: '#/nowhere' };
    for (let turn = 0; turn < 2; turn++) expect(() => compileSchema(broken, 'first')).to.throw('nowhere');
    expect(compileSchema({ $id: 'https://shop.example/broken', type: 'string' }, 'first')('x')).to.equal(true);
  });
});
