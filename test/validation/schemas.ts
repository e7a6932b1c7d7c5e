import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { JSON_SCHEMAS } from './json-schemas.js';
import { z as z22 } from 'zod-3-22';
import { z as z25 } from 'zod-3-25';
import { z as z254 } from 'zod-3-25/v4';

/** A schema and the values it is asked about. */
export interface SchemaCase {
  readonly schema: object;
  readonly values: readonly unknown[];
}

const people = [{ name: 'Ada', mail: 'ada@shop.test' }, { name: 'Al', mail: 'al@shop.test' }, { name: 'Ada', mail: 'nobody' }, { name: 'A', mail: 'x' }, {}, { name: 7, mail: null }, [], 'Ada', null];
const ages = [{ age: 20 }, { age: '20' }, { age: '' }, { age: 'old' }, { age: null }, { age: true }, { age: '1.5' }, {}, { age: [7] }, 'x'];
const payments = [
  { kind: 'card', number: '4111' }, { kind: 'card', number: 7 }, { kind: 'card' }, { kind: 'bank', iban: 'DE00' }, { kind: 'bank', iban: null }, { kind: 'cash' }, {}, { number: '4111' }, 'card', null,
];
const words = [{ word: 'word' }, { word: '  word  ' }, { word: '   ab ' }, { word: 'toolongaword' }, { word: '' }, { word: 5 }, { word: null }, {}, []];
const times = [{ at: '2026-02-28T10:00:00Z' }, { at: '2026-02-30T10:00:00Z' }, { at: 'tomorrow' }, { at: 0 }, { at: null }, {}, { at: '2026-02-28' }, { at: '2026-02-28T10:00:00' }, []];
const anything = [{}, { a: 1 }, { a: null }, { a: 'x' }, { a: [] }, { a: 'x', b: 2 }, 'x', null, 7, []];
const trees = [
  { name: 'a' }, { name: 'a', children: [] }, { name: 'a', children: [{ name: 'b' }] }, { name: 'a', children: [{ name: 7 }] }, { name: 'a', children: [{ name: 'b', children: [{}] }] },
  { name: 'a', children: 'b' }, {}, null,
];
const places = [
  { at: ['x', 1] }, { at: ['x', '1'] }, { at: ['x'] }, { at: ['x', 1, 2] }, { at: [1, 'x'] }, { at: ['x', 1], more: ['y', 1, 2] }, { at: ['x', 1], more: ['y', 'z'] }, { at: ['x', 1], more: [] }, { at: {} }, {},
];
const mixed = [1, '1', true, null, { a: 1 }, { a: '1' }, [], [1], ''];
const even = [{ n: 2 }, { n: 3 }, { n: '2' }, { n: 0.3 }, { n: 1e21 }, { n: -2 }, {}, { n: null }];

const Tree: z.ZodType = z.object({ name: z.string(), get children() { return z.array(Tree).optional(); } });
const Tree22: z22.ZodTypeAny = z22.object({ name: z22.string(), children: z22.lazy(() => z22.array(Tree22).optional()) });

/** The table: each kind of schema that libraries judge otherwise than their JSON Schema does, and some that are plain. */
export const SCHEMAS: Readonly<Record<string, SchemaCase>> = {
  'zod-coerce': { schema: z.object({ age: z.coerce.number().int('Whole years, please') }), values: ages },
  'zod-coerce-boolean': { schema: z.object({ a: z.coerce.boolean(), b: z.coerce.string().optional() }), values: anything },
  'zod-messages': { schema: z.object({ name: z.string().min(3, 'Name is too short'), mail: z.email('Not an address') }), values: people },
  'zod-preprocess': { schema: z.object({ word: z.preprocess((given) => (typeof given === 'string' ? given.trim() : given ?? 'none'), z.string().max(4, 'Too long')) }), values: words },
  'zod-catch': { schema: z.object({ age: z.number().catch(1), a: z.string().default('d') }), values: ages },
  'zod-transform': { schema: z.object({ word: z.string().trim().toLowerCase().min(3, 'Too short').max(6).transform((text) => text.length) }), values: words },
  'zod-tagged': { schema: z.discriminatedUnion('kind', [z.object({ kind: z.literal('card'), number: z.string('A number, please') }), z.object({ kind: z.literal('bank'), iban: z.string() })]), values: payments },
  'zod-union': { schema: z.union([z.object({ kind: z.literal('card'), number: z.string('A number, please') }), z.object({ kind: z.literal('bank'), iban: z.string() })]), values: payments },
  'zod-scalars': { schema: z.union([z.number(), z.boolean(), z.object({ a: z.number('A number, please') }), z.null()]), values: mixed },
  'zod-optional': { schema: z.object({ a: z.unknown(), b: z.any(), c: z.number().nullish() }), values: anything },
  'zod-date': { schema: z.object({ at: z.coerce.date('When?') }), values: times },
  'zod-codec': { schema: z.object({ at: z.codec(z.iso.datetime({ local: true }), z.date(), { decode: (text) => new Date(text), encode: (date) => date.toISOString() }) }), values: times },
  'zod-refine': { schema: z.object({ name: z.string(), mail: z.string() }).refine(({ name, mail }) => mail.startsWith(name.toLowerCase()), { path: ['mail'], message: 'Somebody else\'s' }), values: people },
  'zod-strict': { schema: z.strictObject({ a: z.string().optional() }), values: anything },
  'zod-tree': { schema: Tree, values: trees },
  'zod-patterns': { schema: z.object({ word: z.string().regex(/^WO/i, 'Not a word').regex(/d\s*$/) }), values: words },
  'zod-fraction': { schema: z.object({ n: z.number().multipleOf(0.1, 'Tenths') }), values: even },
  'zod-whole-multiple': { schema: z.object({ n: z.number().multipleOf(2, 'Even, please') }), values: [...even, { n: 10.000000000000002 }, { n: 2.5 }, { n: 2251799813685248.5 }] },
  'zod-int-multiple': { schema: z.object({ n: z.int().multipleOf(2, 'Even, please') }), values: even },
  'zod-intersection': { schema: z.intersection(z.object({ name: z.string() }), z.object({ mail: z.url('Not an address') })), values: [...people, { name: 'Ada', mail: 'https://münchen.test/ä b' }] },
  'zod-async': { schema: z.object({ n: z.number().refine(async (n) => n % 2 === 0, 'Even, please') }), values: even },
  'zod-record': { schema: z.record(z.string().min(1), z.tuple([z.number()]).or(z.null())), values: anything },
  'zod-length': { schema: z.string().min(2, 'Two, please').max(3), values: ['😀', '😀a', 'a', 'ab', 'abcd', '', 5, null, '😀😀'] },
  'zod-mini': { schema: mini.object({ word: mini.pipe(mini.string(), mini.transform((text: string) => text.trim())), age: mini.optional(mini.coerce.number()) }), values: words },
  'zod22-coerce': { schema: z22.object({ age: z22.coerce.number().int('Whole years, please') }), values: ages },
  'zod22-messages': { schema: z22.object({ name: z22.string().min(3, 'Name is too short'), mail: z22.string().email('Not an address').nullable() }), values: people },
  'zod22-tagged': { schema: z22.discriminatedUnion('kind', [z22.object({ kind: z22.literal('card'), number: z22.string() }), z22.object({ kind: z22.literal('bank'), iban: z22.string() })]), values: payments },
  'zod22-preprocess': { schema: z22.object({ word: z22.preprocess((given) => given ?? 'none', z22.string().trim().max(4).catch('caught')), n: z22.number().default(1) }), values: words },
  'zod22-tree': { schema: Tree22, values: trees },
  'zod22-async': { schema: z22.object({ n: z22.number().refine(async (n) => n % 2 === 0, 'Even, please') }), values: even },
  'zod25-messages': { schema: z25.object({ name: z25.string().min(3, 'Name is too short'), mail: z25.string().email('Not an address') }).strict(), values: people },
  'zod25-union': { schema: z25.union([z25.object({ kind: z25.literal('card'), number: z25.string() }), z25.object({ kind: z25.literal('bank'), iban: z25.string() })]), values: payments },
  'zod25-v4': { schema: z254.object({ name: z254.string().min(3, 'Name is too short'), mail: z254.preprocess((given) => given ?? 'a@b.test', z254.email('Not an address')) }), values: people },
  'valibot-messages': { schema: v.object({ name: v.pipe(v.string(), v.trim(), v.minLength(3, 'Name is too short')), mail: v.pipe(v.string(), v.email('Not an address')) }), values: people },
  'valibot-tagged': { schema: v.variant('kind', [v.object({ kind: v.literal('card'), number: v.string() }), v.object({ kind: v.literal('bank'), iban: v.string() })]), values: payments },
  'valibot-transform': { schema: v.object({ at: v.pipe(v.unknown(), v.transform(String), v.isoTimestamp('When?')), n: v.optional(v.number(), 1) }), values: times },
  'valibot-strict': { schema: v.strictObject({ a: v.fallback(v.string(), 'x') }), values: anything },
  'valibot-tuple': { schema: v.object({ at: v.strictTuple([v.string(), v.number('A number, please')]), more: v.optional(v.tupleWithRest([v.string()], v.number())) }), values: places },
  'arktype-messages': { schema: type({ name: 'string >= 3', mail: 'string.email' }), values: people },
  'arktype-morph': { schema: type({ age: 'string.numeric.parse', 'note?': 'string' }), values: ages },
  'arktype-union': { schema: type({ kind: "'card'", number: 'string' }).or({ kind: "'bank'", iban: 'string' }), values: payments },
  ...JSON_SCHEMAS,
};

/** Schemas of queries and headers, in which every value begins as text. */
export const TEXT_SCHEMAS: Readonly<Record<string, { readonly schema: object; readonly texts: readonly string[] }>> = {
  'zod-page': { schema: z.object({ page: z.coerce.number('Which page?').int().min(1).default(1), all: z.stringbool('Yes or no').optional() }), texts: ['', 'page=2', 'page=0', 'page=x', 'page=', 'all=yes', 'all=perhaps', 'page=1.5&all=off'] },
  'zod-coerced-boolean': { schema: z.object({ all: z.coerce.boolean() }), texts: ['', 'all=', 'all=true', 'all=false', 'all=0', 'all=x', 'other=1', 'all=1'] },
  'zod-tags': { schema: z.object({ tags: z.array(z.string().min(2, 'Too short')) }), texts: ['', 'tags=ab', 'tags=ab&tags=cd', 'tags=a', 'tags=ab&tags=c', 'tags=', 'other=1', 'tags=ab&other=1'] },
  'zod22-page': { schema: z22.object({ page: z22.coerce.number().int().min(1, 'From one').default(1), word: z22.string().min(2).optional() }), texts: ['', 'page=2', 'page=0', 'page=x', 'word=a', 'word=ab', 'page=-1&word=', 'page=1.5'] },
  'zod22-tags': { schema: z22.object({ tags: z22.array(z22.string().min(2)).optional() }), texts: ['', 'tags=ab', 'tags=ab&tags=cd', 'tags=a', 'tags=ab&tags=c', 'tags=', 'other=1', 'other=1&other=2'] },
  'valibot-page': { schema: v.object({ page: v.optional(v.pipe(v.string(), v.transform(Number), v.integer('Which page?')), '1') }), texts: ['', 'page=2', 'page=x', 'page=', 'page=1.5', 'other=1', 'page=0', 'page=-3'] },
  'arktype-page': { schema: type({ page: 'string.integer.parse', 'word?': 'string >= 2' }), texts: ['', 'page=2', 'page=x', 'page=', 'page=1.5', 'word=a', 'page=1&word=a', 'page=1&word=ab'] },
};
