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

  it('follows references behind properties whatever they are called', () => {
    for (const name of ['default', 'example', 'examples', 'const', 'enum']) {
      const one = book();
      const schema = { properties: { [name]: { $ref: '#/$defs/Part' } }, $defs: { Part: { type: 'string' } } };
      expect(one.place(schema, 'A'), name).to.deep.equal({ properties: { [name]: { $ref: '#/components/schemas/Part' } } });
      expect(one.components, name).to.deep.equal({ Part: { type: 'string' } });
    }
  });

  it('keeps parts that are called as a keyword with values', () => {
    const one = book();
    const schema = { $ref: '#/$defs/default', $defs: { default: { properties: { a: { $ref: '#/$defs/enum' } } }, enum: { type: 'string' } } };
    expect(one.place(schema, 'A')).to.deep.equal({ $ref: '#/components/schemas/default' });
    expect(one.components).to.deep.equal({ default: { properties: { a: { $ref: '#/components/schemas/enum' } } }, enum: { type: 'string' } });
  });

  it('follows references that are encoded as URIs are, and writes such', () => {
    const one = book();
    const schema = { items: { $ref: '#/%24defs/A%20part/properties/b%20c' }, contains: { $ref: '#/$defs/Other' }, $defs: { 'A part': { properties: { 'b c': {} } }, Other: {} } };
    expect(one.place(schema, 'A')).to.deep.equal({
      items: { $ref: '#/components/schemas/A_part/properties/b%20c' }, contains: { $ref: '#/components/schemas/Other' },
    });
    expect(Object.keys(one.components)).to.deep.equal(['A_part', 'Other']);
  });

  it('keeps schemas of one name apart and makes names fit', () => {
    const one = book();
    const schema = { items: { $ref: '#' } };
    expect(one.place(schema, 'A b')).to.deep.equal({ $ref: '#/components/schemas/A_b' });
    expect(one.place(schema, 'A b')).to.deep.equal({ $ref: '#/components/schemas/A_b-2' });
    expect(one.components['A_b-2']).to.deep.equal({ items: { $ref: '#/components/schemas/A_b-2' } });
  });
});
