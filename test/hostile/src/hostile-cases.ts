import { different, filled, HOSTILE_TEXTS, nested } from './hostile-bodies.js';

/** A schema and what is sent to a Step that has it. */
export interface HostileCase {
  readonly name: string;
  /** In JavaScript; `z` is zod. */
  readonly schema: string;
  readonly bodies: readonly string[];
}

const json = (schema: unknown): string => JSON.stringify(schema);
const node = (op: string): object => ({ type: 'object', properties: { op: { const: op }, args: { type: 'array', items: { $ref: '#' } } }, required: ['op', 'args'] });
const late = (keyword: string): string => json({
  [keyword]: [{ type: 'string' }, ...[1, 2].map((kind) => ({ type: 'object', properties: { next: { $ref: '#' }, kind: { const: kind } }, required: ['next', 'kind'] }))],
});
const deepRefs = json({ $ref: '#/$defs/d0', $defs: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`d${index}`, index < 59 ? { anyOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] } : { type: 'string' }])) });
const FILTER = `z.object({ op: z.literal('and'), args: z.array(z.lazy(() => filter)) })`;
const zodUnion = (union: string): string => `(() => { const filter = ${union}; return filter; })()`;
const OPTIONS = `${FILTER}, ${FILTER.replace('and', 'or')}, ${FILTER.replace('and', 'not')}, z.object({ op: z.literal('eq'), value: z.string() })`;

const TREES = [
  ...[12, 45].map((depth) => nested(depth, '{"op":"and","args":[', '{"op":"eq","value":1}', ']}')), ...[20, 90].map((depth) => nested(depth, '{"next":', '1', ',"kind":2}')),
  filled('{"op":"and","args":[]}'), nested(95, '[', '', ']'),
];
const ARRAYS = [filled('1'), filled('[]'), filled('{}'), filled('{"valueOf":1}'), different(String), different((index) => `"${index}"`), different((index) => `[${index}]`), different((index) => `{"a":${index}}`), different((index) => String(index * 65_536))];
const OBJECTS = [`{${different((index) => `"${index}":1`).slice(1, -1)}}`, `{${different((index) => `"a${index}":{}`).slice(1, -1)}}`, '{"toString":1}'];

const FORMATS = ['email', 'url', 'uri', 'uri-reference', 'uri-template', 'hostname', 'ipv6', 'date-time', 'duration', 'regex', 'byte', 'json-pointer'];
const PATTERNS = ['^(a+)+$', '^(a|aa)*!$', '\\s*x?\\s+$', '^(\\w+\\s?)*$', '^(?=(a+)+$)', '^(a+)+\\1$', '[a-z]+@', '(a|b)*a(a|b){25}$'];

/** The cases: 12 formats, 8 patterns, and the schemas that contain themselves, count, compare or divide. */
export const HOSTILE_CASES: readonly HostileCase[] = [
  { name: 'json union of filters', schema: json({ anyOf: [node('and'), node('or'), node('not'), { type: 'object', properties: { op: { const: 'eq' }, value: { type: 'string' } }, required: ['op', 'value'] }] }), bodies: TREES },
  { name: 'json anyOf, late', schema: late('anyOf'), bodies: TREES },
  { name: 'json oneOf, late', schema: late('oneOf'), bodies: TREES },
  { name: 'json deep references', schema: deepRefs, bodies: ['1', '"a"', ...TREES.slice(0, 2)] },
  { name: 'json any value', schema: json({ anyOf: [{ type: ['string', 'number', 'null'] }, { type: 'array', items: { $ref: '#' } }, { type: 'object', additionalProperties: { $ref: '#' } }] }), bodies: [...ARRAYS, ...TREES] },
  { name: 'json unevaluated', schema: json({ anyOf: [{ properties: { next: { $ref: '#' } }, required: ['next'] }, { properties: { op: true, args: { items: { $ref: '#' } } } }], unevaluatedProperties: false }), bodies: [...TREES, ...OBJECTS] },
  { name: 'json uniqueItems', schema: json({ uniqueItems: true }), bodies: ARRAYS },
  { name: 'json contains', schema: json({ contains: { const: { a: -1 } }, minContains: 2 }), bodies: ARRAYS },
  { name: 'json enum', schema: json({ items: { enum: [...Array.from({ length: 300 }, (_, index) => `v${index}`), { a: 1 }] } }), bodies: ARRAYS },
  { name: 'json names', schema: json({ propertyNames: { pattern: '^(a+)+$' }, patternProperties: { '^(\\d+)+$': { type: 'string' } } }), bodies: [...OBJECTS, `{${HOSTILE_TEXTS[0]}:1}`] },
  { name: 'json wide anyOf', schema: json({ items: { anyOf: Array.from({ length: 20 }, (_, index) => ({ type: 'object', properties: { kind: { const: index } }, required: ['kind'] })) } }), bodies: [...ARRAYS, filled('{"kind":19}'), `[${'{},'.repeat(5_000)}{}]`] },
  { name: 'zod union', schema: zodUnion(`z.union([${OPTIONS}])`), bodies: TREES },
  { name: 'zod discriminated union', schema: zodUnion(`z.discriminatedUnion('op', [${OPTIONS}])`), bodies: TREES },
  { name: 'zod json', schema: 'z.json()', bodies: [...ARRAYS.slice(0, 4), ...TREES] },
  { name: 'zod email', schema: 'z.email().max(100)', bodies: HOSTILE_TEXTS },
  { name: 'zod regex', schema: 'z.string().regex(/^(a+)+$/).max(100)', bodies: HOSTILE_TEXTS },
  ...FORMATS.map((format) => ({ name: `format ${format}`, schema: json({ type: 'string', format }), bodies: HOSTILE_TEXTS })),
  ...PATTERNS.map((pattern) => ({ name: `pattern ${pattern}`, schema: json({ type: 'string', pattern }), bodies: HOSTILE_TEXTS })),
];
