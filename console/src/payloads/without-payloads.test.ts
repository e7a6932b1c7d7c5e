import { expect } from 'chai';
import type { Components, JsonSchema } from './json-schema.js';
import { WITHHELD } from './stand-in.js';
import { withoutPayloads } from './without-payloads.js';

const COMPONENTS: Components = {
  Any: { 'x-payload': 'all', anyOf: [{ type: 'null' }, { type: 'string' }, { type: 'object', additionalProperties: { $ref: '#/components/schemas/Any' } }] },
  Where: { type: 'string', 'x-payload': 'query' },
};
const ANY: JsonSchema = { $ref: '#/components/schemas/Any' };
const object = (properties: Readonly<Record<string, JsonSchema>>, additionalProperties: JsonSchema | boolean = false): JsonSchema => ({ type: 'object', properties, required: Object.keys(properties), additionalProperties });
const text: JsonSchema = { type: 'string' };

describe('an answer without payloads', () => {
  const cases: readonly (readonly [string, JsonSchema, unknown, unknown])[] = [
    ['keeps what is known to be none', object({ id: text, n: { type: ['number', 'null'] }, list: { type: 'array', items: text } }), { id: 'a', n: null, list: ['b'] }, { id: 'a', n: null, list: ['b'] }],
    ['has a stand-in for a payload, whatever it is', object({ id: text, value: ANY }), { id: 'a', value: { deep: 1 } }, { id: 'a', value: WITHHELD }],
    ['has one for a payload that is nothing', object({ value: ANY }), { value: null }, { value: WITHHELD }],
    ['keeps the names of payloads', object({ known: text }, ANY), { known: 'a', other: 'b' }, { known: 'a', other: WITHHELD }],
    ['keeps the path of an address', { $ref: '#/components/schemas/Where' }, '/a?b=c?d', `/a?${WITHHELD}`],
    ['keeps an address without a query', { $ref: '#/components/schemas/Where' }, '/a', '/a'],
    ['has one for each payload of a tuple', { type: 'array', items: [text, ANY] }, ['a', 'b', 'more'], ['a', WITHHELD, WITHHELD]],
    ['goes by the first form that fits', { anyOf: [object({ kind: { const: 'own' }, value: text }), object({ kind: text, value: ANY })] }, { kind: 'own', value: 'a' }, { kind: 'own', value: 'a' }],
    ['goes by another form where that one does not', { anyOf: [object({ kind: { const: 'own' }, value: text }), object({ kind: text, value: ANY })] }, { kind: 'other', value: 'a' }, { kind: 'other', value: WITHHELD }],
    ['has one for what fits no form', { anyOf: [object({ kind: { const: 'own' } })] }, { kind: 'new' }, WITHHELD],
    ['has one for a member that the schema does not have', object({ id: text }), { id: 'a', more: 'b' }, { id: 'a', more: WITHHELD }],
    ['has one for what a member by the name of a method would find', object({}), { toString: 'b' }, { toString: WITHHELD }],
    ['has one for what has another type', object({ id: text }), { id: { value: 'b' } }, { id: WITHHELD }],
    ['has one for all that nothing is said of', {}, 'a', WITHHELD],
    ['has one for a component that there is not', { $ref: '#/components/schemas/None' }, 'a', WITHHELD],
    ['says that stand-ins are in it', { type: 'object', properties: { value: ANY, withheld: { const: true } }, additionalProperties: false }, { value: 1 }, { value: WITHHELD, withheld: true }],
  ];
  for (const [what, schema, value, shown] of cases) {
    it(what, () => expect(withoutPayloads(schema, value, COMPONENTS)).to.deep.equal(shown));
  }
});
