const PARTS = {
  $ref: '#/$defs/node',
  $defs: { node: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } } } },
};
const person = { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 3 }, mail: { type: 'string', format: 'email' } } };
const PAYMENTS = [
  { type: 'object', properties: { kind: { const: 'card' }, number: {} }, required: ['kind'] }, { type: 'object', properties: { kind: { const: 'bank' }, iban: {} }, required: ['kind'] },
];
const PAID = [{ kind: 'card', number: 1 }, { kind: 'card' }, { kind: 'bank', iban: 1 }, { kind: 'bank', number: 1 }, { kind: 'card', number: 1, note: 1 }, { kind: 'cash' }, {}, []];
const times = ['2026-02-28T10:00:00Z', '2026-02-30T10:00:00Z', '2026-02-28 10:00:00Z', '2026-02-28', '10:00', 'x', '', 7, null];

/** JSON Schemas as they are written without a library, and values that they are asked about. */
export const JSON_SCHEMAS: Readonly<Record<string, { readonly schema: object; readonly values: readonly unknown[] }>> = {
  'json-person': { schema: person, values: [{ name: 'Ada' }, { name: 'Al' }, { name: 'Ada', mail: 'x' }, { name: 'A', mail: 'a@b.test' }, { name: 7, mail: null }, {}, [], 'Ada', null] },
  'json-closed': {
    schema: { type: 'object', additionalProperties: false, minProperties: 1, properties: { a: { type: ['integer', 'null'] } }, patternProperties: { '^x-': { type: 'boolean' } } },
    values: [{ a: 1 }, { a: null }, { a: 1.5 }, { a: 1.0, b: 2 }, { 'x-1': true }, { 'x-1': 1 }, { x: true }, {}, []],
  },
  'json-numbers': { schema: { type: 'number', exclusiveMinimum: 0, maximum: 10, multipleOf: 0.5 }, values: [0, 0.5, 1, 10, 10.5, 0.3, -1, 1e300, '1', null] },
  'json-texts': { schema: { type: 'string', minLength: 2, maxLength: 3, pattern: '^[a-zà-ÿ😀]+$' }, values: ['ab', 'abc', 'abcd', 'a', 'é😀', '😀😀😀😀', 'AB', '', 5, null] },
  'json-lists': { schema: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' }, minItems: 1, maxItems: 4 }, values: [['a'], ['a', 1], ['a', 'b'], [1], [], ['a', 1, 2, 3], ['a', 1, 2, 3, 4], {}, null] },
  'json-unique': { schema: { type: 'array', uniqueItems: true, contains: { type: 'object' }, maxContains: 2 }, values: [[{}], [{ a: 1, b: 2 }, { b: 2, a: 1 }], [{}, {}], [{ a: 1 }, { a: '1' }], [{ a: 1 }, { a: 2 }, { a: 3 }], [1], [], [{}, 1, 1]] },
  'json-any-of': { schema: { anyOf: [{ type: 'integer' }, { type: 'string', minLength: 2 }, { type: 'object', required: ['a'] }] }, values: [1, 1.5, 'a', 'ab', { a: 1 }, {}, [], true, null] },
  'json-one-of': { schema: { oneOf: [{ type: 'integer', multipleOf: 2 }, { type: 'integer', multipleOf: 3 }] }, values: [2, 3, 6, 5, 0, -4, 1.5, '2', null] },
  'json-all-not': { schema: { allOf: [{ type: 'object', required: ['a'] }, { properties: { b: { const: 1 } } }], not: { required: ['c'] } }, values: [{ a: 1 }, { a: 1, b: 1 }, { a: 1, b: 2 }, { b: 1 }, { a: 1, c: 1 }, {}, [], 'a'] },
  'json-if': {
    schema: { type: 'object', if: { properties: { kind: { const: 'card' } }, required: ['kind'] }, then: { required: ['number'] }, else: { properties: { number: false } }, dependentRequired: { number: ['cvc'] } },
    values: [{ kind: 'card' }, { kind: 'card', number: 1, cvc: 2 }, { kind: 'card', number: 1 }, { kind: 'bank' }, { kind: 'bank', number: 1, cvc: 1 }, { number: 1 }, {}, []],
  },
  'json-enum': { schema: { enum: [1, 'a', null, { a: [1] }] }, values: [1, '1', 'a', null, { a: [1] }, { a: [2] }, {}, true] },
  'json-tree': { schema: PARTS, values: [{ name: 'a' }, { name: 'a', children: [] }, { name: 'a', children: [{ name: 'b' }] }, { name: 'a', children: [{ name: 7 }] }, { name: 'a', children: [{ name: 'b', children: [{}] }] }, { name: 'a', children: 'b' }, {}, null] },
  'json-rest': {
    schema: { type: 'object', allOf: [{ properties: { a: { type: 'string' } } }], properties: { b: { type: 'number' } }, unevaluatedProperties: false },
    values: [{ a: 'x' }, { b: 1 }, { a: 'x', b: 1 }, { c: 1 }, { a: 1 }, { a: 'x', c: 1 }, {}, []],
  },
  'json-rest-of-union': { schema: { oneOf: PAYMENTS, unevaluatedProperties: false }, values: PAID },
  'json-rest-of-any': { schema: { properties: { note: {} }, anyOf: PAYMENTS, unevaluatedProperties: false }, values: PAID },
  'json-rest-of-references': {
    schema: { $defs: { card: PAYMENTS[0], bank: PAYMENTS[1] }, type: 'object', properties: { by: { oneOf: [{ $ref: '#/$defs/card' }, { $ref: '#/$defs/bank' }], unevaluatedProperties: false } } },
    values: PAID.map((by) => ({ by })),
  },
  'json-names': { schema: { type: 'object', propertyNames: { maxLength: 2 }, maxProperties: 2, additionalProperties: { type: 'integer' } }, values: [{ a: 1 }, { abc: 1 }, { a: 'x' }, { a: 1, b: 2 }, { a: 1, b: 2, c: 3 }, {}, { a: 1.5 }, null] },
  'json-date-time': { schema: { type: 'string', format: 'date-time' }, values: times },
  'json-date': { schema: { type: 'string', format: 'date' }, values: times },
  'json-formats': {
    schema: { type: 'object', properties: { uuid: { format: 'uuid' }, uri: { format: 'uri' }, ip: { format: 'ipv4' }, host: { format: 'hostname' } } },
    values: [
      { uuid: '8c5d8c0e-6a3b-4a59-9b0a-0d3a9d1e4b11' }, { uuid: 'x' }, { uri: 'https://a.test/b?c#d' }, { uri: '//a' }, { uri: 'a b' }, { ip: '127.0.0.1' }, { ip: '256.0.0.1' },
      { host: 'a.test' }, { host: '-a' }, { host: 7 },
    ],
  },
  'json-true': { schema: {}, values: [1, 'a', null, true, [], {}, 1.5, ''] },
};
