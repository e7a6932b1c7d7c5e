import { expect } from 'chai';
import { SchemaBook } from './schema-book.js';

describe('SchemaBook', () => {
  const book = (): SchemaBook => new SchemaBook();
  const harmless: readonly [string, object | boolean][] = [
    ['no reference', { type: 'string' }],
    ['a property called $ref', { properties: { $ref: { type: 'string' } } }],
    ['values that look like references', { examples: [{ $ref: '#/x' }], const: { $ref: '#' }, default: { $ref: '#' }, enum: [{ $ref: '#' }] }],
    ['a schema with an id of its own', { $id: 'https://shop.example/part', properties: { again: { $ref: '#' } } }],
    ['a reference to another document', { $ref: 'https://shop.example/part' }],
    ['a boolean', true],
  ];
  for (const [what, schema] of harmless) {
    it(`writes where it is used: ${what}`, () => {
      const one = book();
      expect(one.place(schema, 'A')).to.deep.equal(schema);
      expect(one.components).to.deep.equal({});
    });
  }

  it('keeps schemas of one name apart and makes names fit', () => {
    const one = book();
    const schema = { items: { $ref: '#' } };
    expect(one.place(schema, 'A b')).to.deep.equal({ $ref: '#/components/schemas/A_b' });
    expect(one.place(schema, 'A b')).to.deep.equal({ $ref: '#/components/schemas/A_b-2' });
    expect(one.components['A_b-2']).to.deep.equal({ items: { $ref: '#/components/schemas/A_b-2' } });
  });
});
