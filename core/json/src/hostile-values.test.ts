import { SCHEMA_MARKS } from '@treadle/protocol';
import { expect } from 'chai';
import { SchemaCheck, type SchemaRefusal } from './schema-check.js';

const MIB = 1_048_576;
/** Processor time, for a busy machine does not count: far from what a broken check takes, and from what a sound one does. Microseconds. */
const LONGEST = 2_000_000;

function judge(schema: object, value: unknown, bytes = JSON.stringify(value).length): SchemaRefusal | undefined {
  const check = new SchemaCheck(schema, 'body');
  const began = process.cpuUsage();
  const refusal = check.check(value, bytes);
  expect(process.cpuUsage(began).user).to.be.below(LONGEST);
  return refusal;
}

/** Nested `depth` times in `wrap`. */
const nested = (depth: number, wrap: (inner: unknown) => unknown, core: unknown): unknown => Array.from({ length: depth }).reduce(wrap, core);

const node = (op: string): object => ({ type: 'object', properties: { op: { const: op }, args: { type: 'array', items: { $ref: '#' } } }, required: ['op', 'args'] });
const filters = { anyOf: [node('and'), node('or'), node('not'), { type: 'object', properties: { op: { const: 'eq' }, value: { type: 'string' } }, required: ['op', 'value'] }] };
/** What tells the options apart comes after what they share. */
const late = { anyOf: [1, 2].map((kind) => ({ type: 'object', properties: { next: { $ref: '#' }, kind: { const: kind } }, required: ['next'] })).concat({ type: 'null' } as never) };

describe('Hostile values', () => {
  it('a refused body of a union that contains itself costs little', () => {
    const refusal = judge(filters, nested(12, (inner) => ({ op: 'and', args: [inner] }), { op: 'eq', value: 1 }));
    expect(refusal?.issues.length).to.be.within(1, 20);
    expect(judge({ oneOf: filters.anyOf }, nested(40, (inner) => ({ op: 'not', args: [inner] }), 1))?.valid).to.equal(false);
  });

  it('a deep body that would cost 2 to the power of its depth is refused as too complex', () => {
    const refusal = judge(late, nested(60, (next) => ({ next, kind: 2 }), null));
    expect(refusal).to.deep.equal({ valid: false, issues: [{ in: 'body', path: '', message: 'is too complex to be checked', code: 'too_complex' }], exhausted: true });
    expect(judge(late, nested(10, (next) => ({ next, kind: 2 }), null))).to.equal(undefined);
  });

  it('the faults of a small body are all collected, and nothing was cut', () => {
    const { issues, exhausted } = judge({ type: 'object', required: ['a'], properties: { b: { type: 'string' } } }, { b: 1 }) as SchemaRefusal;
    expect(issues.map(({ path }) => path)).to.have.members(['a', 'b']);
    expect(exhausted).to.equal(false);
  });

  it('collecting stops before the findings fill the memory', () => {
    const wide = { items: { type: 'object', required: Array.from({ length: 300 }, (_, index) => `p${index}`) } };
    const { issues, exhausted } = judge(wide, Array.from({ length: 5_000 }, () => ({}))) as SchemaRefusal;
    expect(issues).to.have.length(1);
    expect(exhausted).to.equal(true);
  });

  it('the largest body of small values is taken by a schema that refers to itself', () => {
    const json = { $defs: { v: { anyOf: [{ type: ['string', 'number', 'boolean', 'null'] }, { type: 'array', items: { $ref: '#/$defs/v' } }, { type: 'object', additionalProperties: { $ref: '#/$defs/v' } }] } }, $ref: '#/$defs/v' };
    for (const item of [1, [], {}, { a: 1 }]) expect(judge(json, Array.from({ length: MIB / (JSON.stringify(item).length + 1) }, () => item), MIB)).to.equal(undefined);
  });

  it('items among which something else is looked for leave no findings behind', () => {
    const before = process.memoryUsage().heapUsed;
    const items = Array.from({ length: MIB / 2 }, () => 1);
    expect(judge({ contains: { const: { a: 1 } } }, items)?.issues).to.have.length(1);
    expect(process.memoryUsage().heapUsed - before).to.be.below(100 * MIB);
  });

  it('options that none of many items fits leave no findings behind', () => {
    const options = Array.from({ length: 30 }, (_, index) => ({ const: index + 100 }));
    const items = Array.from({ length: MIB / 8 }, () => 1);
    const before = process.memoryUsage().heapUsed;
    for (const schema of [{ contains: { anyOf: options } }, { contains: { oneOf: options } }]) expect(judge(schema, items)?.valid).to.equal(false);
    expect(process.memoryUsage().heapUsed - before).to.be.below(100 * MIB);
    expect(judge({ items: { anyOf: [...options, { const: 1 }] } }, items.slice(0, 100))).to.equal(undefined);
    expect(judge({ items: { oneOf: [...options, { const: 1 }, { type: 'number' }] } }, items.slice(0, 100))?.issues[0]?.code).to.equal('invalid_union');
  });

  it('many options for each of very many items are too complex, without a reference too', () => {
    const options = Array.from({ length: 100 }, (_, index) => ({ const: index + 100 }));
    expect(judge({ contains: { anyOf: options } }, Array.from({ length: MIB / 2 }, () => 1))?.issues[0]?.code).to.equal('too_complex');
    expect(judge({ items: { not: { allOf: options } } }, Array.from({ length: MIB / 2 }, () => 1))).to.equal(undefined);
  });

  it('what each item costs is charged, whatever keyword it is', () => {
    const names = Array.from({ length: 300 }, (_, index) => `p${index}`);
    const empty = Array.from({ length: MIB / 4 }, () => ({}));
    const objects = Array.from({ length: MIB / 16 }, (_, index) => ({ a: 1_000 + index }));
    const complex: readonly (readonly [object, unknown])[] = [
      [{ items: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) } }, empty],
      [{ additionalProperties: { items: { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) } } }, { a: empty }],
      [{ items: { dependentRequired: Object.fromEntries(names.map((name) => [name, ['a']])) } }, empty],
      [{ items: { allOf: names.map((_, index) => ({ maxLength: 10 + index })) } }, Array.from({ length: MIB / 4 }, () => 'a')],
      [{ items: { not: { enum: names.map((_, index) => ({ a: index })) } } }, objects],
      [{ uniqueItems: true, items: { $ref: '#' } }, Array.from({ length: 400 }, (_, index) => nested(90, (inner) => [inner], index))],
      [{ type: 'array', items: { format: 'email' } }, Array.from({ length: MIB / 4 }, () => 'a@example.com')],
    ];
    for (const [schema, value] of complex) {
      const few = Array.isArray(value) ? value.slice(0, 10) : {};
      expect(judge(schema, few), JSON.stringify(schema).slice(0, 60)).to.equal(undefined);
      expect(judge(schema, value, 10)?.issues[0]?.code, JSON.stringify(schema).slice(0, 60)).to.equal('too_complex');
    }
  });

  it('twenty thousand ordinary objects are taken', () => {
    const item = {
      type: 'object', required: ['id', 'email', 'tags'], additionalProperties: false,
      properties: {
        id: { type: 'integer' }, email: { type: 'string', format: 'email' }, at: { type: 'string', format: 'date-time' }, tags: { type: 'array', uniqueItems: true, items: { enum: ['a', 'b', 'c'] } },
        of: { anyOf: [{ type: 'null' }, { type: 'object', required: ['n'], properties: { n: { type: 'number' } } }] },
      },
    };
    const objects = Array.from({ length: 20_000 }, (_, id) => ({ id, email: 'a@example.com', at: '2026-01-01T00:00:00Z', tags: ['a', 'b'], of: { n: 1 } }));
    expect(judge({ type: 'array', items: item }, objects)).to.equal(undefined);
    expect(judge({ type: 'array', items: { $ref: '#/$defs/item' }, $defs: { item } }, objects)).to.equal(undefined);
  });

  it('a longer value may cost more, in proportion', () => {
    const schema = { items: { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'number' }] } };
    const items = Array.from({ length: 4 * MIB }, () => 1);
    expect(judge(schema, items, 32 * MIB)).to.equal(undefined);
    expect(judge(schema, items, MIB)?.issues[0]?.code).to.equal('too_complex');
  });

  it('of a large value its library is asked, unless it cost much more than its length explains', () => {
    const large = { pad: 'x'.repeat(20_000) };
    const ofLibrary = (schema: object): object => ({ ...schema, [SCHEMA_MARKS.library]: 'zod' });
    const ordinary = { type: 'object', properties: { a: { type: 'number' } } };
    expect(judge(ordinary, { ...large, a: 'x' })).to.include({ valid: false, exhausted: true });
    expect(judge(ofLibrary(ordinary), { ...large, a: 'x' })).to.include({ valid: false, exhausted: false });
    const union = ofLibrary({ ...late, type: ['object', 'null'] });
    const deep = (depth: number): unknown => ({ ...(nested(depth, (next) => ({ next, kind: 2 }), 1) as object), ...large });
    expect(judge(union, deep(3))).to.include({ valid: false, exhausted: false });
    expect(judge(union, deep(15))).to.include({ valid: false, exhausted: true });
  });

  it('of a large value that was refused before a slow pattern was tried, the library is not asked: it may try that first', () => {
    const text = `${'a'.repeat(20_000)}!`;
    const ofLibrary = (pattern: string): object => ({ type: 'string', maxLength: 100, pattern, [SCHEMA_MARKS.library]: 'zod' });
    expect(judge(ofLibrary('^(a+)+$'), text)).to.include({ valid: false, exhausted: true });
    expect(judge(ofLibrary('^a+$'), text)).to.include({ valid: false, exhausted: false });
  });

  it('a hundred thousand different items are told apart', () => {
    const unique = { uniqueItems: true };
    for (const make of [(n: number) => n, (n: number) => [n], (n: number) => ({ n }), String]) {
      const items = Array.from({ length: 100_000 }, (_, index): unknown => make(index));
      expect(judge(unique, items)).to.equal(undefined);
      expect(judge(unique, [...items, items[0]])?.issues[0]?.message).to.equal('must NOT have duplicate items (items ## 0 and 100000 are identical)');
    }
  });

  it('members named like methods of objects are compared as they are', () => {
    for (const schema of [{ const: { a: 1 } }, { enum: [{ a: 1 }, 'x'] }, { uniqueItems: true, items: { const: { a: 1 } } }]) {
      for (const value of [{ valueOf: 1 }, { toString: 1 }, { constructor: 1 }]) expect(judge(schema, 'uniqueItems' in schema ? [value] : value)?.valid).to.equal(false);
    }
    expect(judge({ const: { valueOf: 1 } }, { valueOf: 1 })).to.equal(undefined);
    expect(judge({ enum: Array.from({ length: 20 }, (_, index) => index) }, 19)).to.equal(undefined);
    expect(judge({ enum: Array.from({ length: 20 }, (_, index) => index) }, '19')?.valid).to.equal(false);
  });

  const patterns: readonly (readonly [pattern: string, text: string])[] = [
    ['^(a+)+$', `${'a'.repeat(50)}!`], ['^(a|aa)*$', `${'a'.repeat(MIB)}!`], ['^\\s*x?\\s*$', `${' '.repeat(MIB)}!`], ['^(?=(\\w+\\s?)*$)', `${'word '.repeat(MIB / 5)}!`],
    ['[a-z]+@', 'a'.repeat(MIB)], ['^(\\p{L}+\\d?)+$', `${'é'.repeat(MIB / 2)}!`],
  ];
  for (const [pattern, text] of patterns) {
    it(`a text that ${pattern} takes for ever is refused, and its Step's library is not asked`, () => {
      for (const schema of [{ pattern }, { pattern, maxLength: 10 }, { anyOf: [{ pattern }, { pattern, type: 'string' }] }]) expect(judge(schema, text)).to.include({ valid: false, exhausted: true });
      expect(judge({ patternProperties: { [pattern]: false }, additionalProperties: { type: 'null' } }, { [text]: 1 })?.valid).to.equal(false);
      expect(judge({ propertyNames: { pattern } }, { [text]: 1 })?.valid).to.equal(false);
    });
  }

  it('a pattern that repeats what a group matched is held to a budget', () => {
    const schema = { pattern: '^(a+)+\\1$' };
    expect(judge(schema, 'a'.repeat(12))).to.equal(undefined);
    expect(judge(schema, `${'a'.repeat(11)}b`)?.issues[0]?.code).to.equal('invalid_format');
    expect(judge(schema, `${'a'.repeat(40)}b`)?.issues[0]?.code).to.equal('too_complex');
    expect(judge(schema, 'a'.repeat(100_000))?.issues[0]?.code).to.equal('too_complex');
  });

  for (const format of ['email', 'uri', 'uri-reference', 'uri-template', 'url', 'hostname', 'ipv4', 'ipv6', 'date', 'time', 'date-time', 'iso-time', 'iso-date-time', 'duration', 'uuid', 'regex', 'byte', 'json-pointer', 'json-pointer-uri-fragment', 'relative-json-pointer']) {
    it(`1 MiB of hostile ${format} is judged at once`, function many() {
      this.timeout(120_000);
      const units = ['a', 'a.', '1', '1:', ':', '/~0', '%41', '{a}', 't', '(', 'AAAA', ' ', '-', '@', '1Y', 'é'];
      const check = new SchemaCheck({ format }, 'body');
      for (const start of ['', 'a@', 'http://[', 'a:', '2020-01-01T00:00:00.', 'P']) {
        for (const unit of units) {
          const began = process.cpuUsage();
          check.check(`${start}${unit.repeat(MIB / unit.length)}\u0000`, MIB);
          expect(process.cpuUsage(began).user, `${start}${unit}…`).to.be.below(LONGEST);
        }
      }
    });
  }
});
