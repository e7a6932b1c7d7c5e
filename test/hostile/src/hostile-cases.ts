import { crowded, different, filled, HOSTILE_TEXTS, nested } from './hostile-bodies.js';

/** A schema and what is sent to a Step that has it. */
export interface HostileCase {
  readonly name: string;
  /** In JavaScript; `z` is zod, `v` is valibot. Of a case in Python it is the program that makes SCHEMA, with pydantic. */
  readonly schema: string;
  readonly python?: boolean;
  readonly bodies: readonly string[];
  /** Content type of bodies that only HTTP takes. */
  readonly type?: string;
  /** They are compressed on their way. */
  readonly gzip?: boolean;
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

const VALIBOT_FILTER = `v.object({ op: v.literal('and'), args: v.array(v.lazy(() => filter)) })`;
const VALIBOT_OPTIONS = `${VALIBOT_FILTER}, ${VALIBOT_FILTER.replace('and', 'or')}, ${VALIBOT_FILTER.replace('and', 'not')}, v.object({ op: v.literal('eq'), value: v.string() })`;
const valibotUnion = (union: string): string => `(() => { const filter = ${union}; return filter; })()`;
const pydanticUnion = (union: string): string => `from __future__ import annotations
from typing import Annotated, Literal, Union
from pydantic import BaseModel, Field
class And(BaseModel):
    op: Literal["and"]
    args: list[Filter]
class Or(BaseModel):
    op: Literal["or"]
    args: list[Filter]
class Eq(BaseModel):
    op: Literal["eq"]
    value: str
Filter = ${union}
And.model_rebuild()
Or.model_rebuild()
SCHEMA = Filter
`;

const TREES = [
  ...[12, 45].map((depth) => nested(depth, '{"op":"and","args":[', '{"op":"eq","value":1}', ']}')), ...[20, 90].map((depth) => nested(depth, '{"next":', '1', ',"kind":2}')),
  filled('{"op":"and","args":[]}'), nested(95, '[', '', ']'),
];
const ARRAYS = [filled('1'), filled('[]'), filled('{}'), filled('{"valueOf":1}'), different(String), different((index) => `"${index}"`), different((index) => `[${index}]`), different((index) => `{"a":${index}}`), different((index) => String(index * 65_536)), crowded('{}'), crowded('{"a":1}', 1), crowded('[]')];
const short = (index: number): string => index.toString(36);
const OBJECTS = [`{${different((index) => `"${short(index)}":{}`, 99_000).slice(1, -1)}}`, `{${different((index) => `"${index}":1`).slice(1, -1)}}`, `{${different((index) => `"a${index}":{}`).slice(1, -1)}}`, '{"toString":1}'];

/** Fewer members than an object may have. */
const members = (value: (index: number) => string): string => `{${Array.from({ length: 9_000 }, (_, index) => `"a${index}":${value(index)}`).join()}}`;

const FORMATS = ['email', 'url', 'uri', 'uri-reference', 'uri-template', 'hostname', 'ipv6', 'date-time', 'duration', 'regex', 'byte', 'json-pointer'];
const PATTERNS = ['^(a+)+$', '^(a|aa)*!$', '\\s*x?\\s+$', '^(\\w+\\s?)*$', '^(?=(a+)+$)', '^(a+)+\\1$', '[a-z]+@', '(a|b)*a(a|b){25}$'];

/** The cases: 12 formats, 8 patterns, and the schemas that contain themselves, count, compare or divide. */
export const HOSTILE_CASES: readonly HostileCase[] = [
  { name: 'json union of filters', schema: json({ anyOf: [node('and'), node('or'), node('not'), { type: 'object', properties: { op: { const: 'eq' }, value: { type: 'string' } }, required: ['op', 'value'] }] }), bodies: TREES },
  { name: 'json anyOf, late', schema: late('anyOf'), bodies: TREES },
  { name: 'json oneOf, late', schema: late('oneOf'), bodies: TREES },
  { name: 'json deep references', schema: deepRefs, bodies: ['1', '"a"', ...TREES.slice(0, 2)] },
  { name: 'json any value', schema: json({ anyOf: [{ type: ['string', 'number', 'null'] }, { type: 'array', items: { $ref: '#' } }, { type: 'object', additionalProperties: { $ref: '#' } }] }), bodies: [...ARRAYS, ...OBJECTS, ...TREES] },
  { name: 'json unevaluated', schema: json({ anyOf: [{ properties: { next: { $ref: '#' } }, required: ['next'] }, { properties: { op: true, args: { items: { $ref: '#' } } } }], unevaluatedProperties: false }), bodies: [...TREES, ...OBJECTS] },
  { name: 'json uniqueItems', schema: json({ uniqueItems: true }), bodies: ARRAYS },
  { name: 'json contains', schema: json({ contains: { const: { a: -1 } }, minContains: 2 }), bodies: ARRAYS },
  { name: 'json enum', schema: json({ items: { enum: [...Array.from({ length: 300 }, (_, index) => `v${index}`), { a: 1 }] } }), bodies: ARRAYS },
  { name: 'json names', schema: json({ propertyNames: { pattern: '^(a+)+$' }, patternProperties: { '^(\\d+)+$': { type: 'string' } } }), bodies: [...OBJECTS, `{${HOSTILE_TEXTS[0]}:1}`] },
  { name: 'json wide anyOf', schema: json({ items: { anyOf: Array.from({ length: 20 }, (_, index) => ({ type: 'object', properties: { kind: { const: index } }, required: ['kind'] })) } }), bodies: [...ARRAYS, filled('{"kind":19}'), `[${'{},'.repeat(5_000)}{}]`] },
  { name: 'json many options', schema: json({ additionalProperties: { anyOf: Array.from({ length: 30 }, (_, index) => ({ type: 'object', properties: { kind: { const: index } }, required: ['kind'] })) } }), bodies: [...OBJECTS, members(() => '{"kind":29}'), members(() => '{"kind":"x"}')] },
  { name: 'json many properties', schema: json({ items: { type: 'object', properties: Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, { type: 'string' }])) } }), bodies: [ARRAYS[2] as string, ARRAYS[7] as string] },
  { name: 'json nested uniqueItems', schema: json({ uniqueItems: true, items: { $ref: '#' } }), bodies: [...ARRAYS, different((index) => nested(90, '[', String(index), ']'))] },
  { name: 'zod union', schema: zodUnion(`z.union([${OPTIONS}])`), bodies: TREES },
  { name: 'zod discriminated union', schema: zodUnion(`z.discriminatedUnion('op', [${OPTIONS}])`), bodies: TREES },
  { name: 'zod json', schema: 'z.json()', bodies: [...ARRAYS.slice(0, 4), ...TREES] },
  { name: 'zod email', schema: 'z.email().max(100)', bodies: HOSTILE_TEXTS },
  { name: 'zod regex', schema: 'z.string().regex(/^(a+)+$/).max(100)', bodies: HOSTILE_TEXTS },
  { name: 'valibot union', schema: valibotUnion(`v.union([${VALIBOT_OPTIONS}])`), bodies: TREES },
  { name: 'valibot variant', schema: valibotUnion(`v.variant('op', [${VALIBOT_OPTIONS}])`), bodies: TREES },
  { name: 'valibot record', schema: 'v.record(v.string(), v.array(v.object({ a: v.number(), b: v.optional(v.string()) })))', bodies: [...OBJECTS, ...ARRAYS.slice(6, 8).map((items) => `{"a":${items}}`)] },
  { name: 'valibot regex', schema: 'v.pipe(v.string(), v.regex(/^(a+)+$/), v.maxLength(100))', bodies: HOSTILE_TEXTS },
  { name: 'pydantic union', schema: pydanticUnion('Union[And, Or, Eq]'), python: true, bodies: TREES },
  { name: 'pydantic tagged union', schema: pydanticUnion('Annotated[Union[And, Or, Eq], Field(discriminator="op")]'), python: true, bodies: TREES },
  { name: 'pydantic json', schema: 'from pydantic import JsonValue\nSCHEMA = list[JsonValue]\n', python: true, bodies: [...ARRAYS, ...TREES] },
  { name: 'pydantic set', schema: 'from typing import Any\nSCHEMA = set[Any]\n', python: true, bodies: ARRAYS },
  { name: 'pydantic pattern', schema: 'from pydantic import BaseModel, Field\nclass Text(BaseModel):\n    text: str = Field(pattern="^(a+)+$", max_length=100)\nSCHEMA = Text\n', python: true, bodies: HOSTILE_TEXTS.map((text) => `{"text":${text}}`) },
  ...FORMATS.map((format) => ({ name: `format ${format}`, schema: json({ type: 'string', format }), bodies: HOSTILE_TEXTS })),
  ...PATTERNS.map((pattern) => ({ name: `pattern ${pattern}`, schema: json({ type: 'string', pattern }), bodies: HOSTILE_TEXTS })),
];
