import { type Environment, formatError, type ConfigSchema } from '@treadle/api';
import { expect } from 'chai';
import { interpolate, parseConfig, validateConfig, type LocatedMap, type Outcome, type Validated } from './index.js';

interface Extra { readonly env?: Environment; readonly slotKeys?: readonly string[] }

const check = (schema: object, yaml: string, { env = {}, slotKeys = [] }: Extra = {}): Outcome<Validated | undefined> => {
  const tree = interpolate(parseConfig(yaml, 'c.yaml').value as LocatedMap, env).value;
  const at = { file: 'c.yaml', line: 9, column: 5 };
  return validateConfig({
    tree: tree.entries.get('config')?.value, schema: schema as ConfigSchema, path: 'modules[2].config', owner: 'acme::x::X', at, env, slotKeys,
  });
};
const errors = (schema: object, yaml: string, extra?: Extra): string[] => check(schema, yaml, extra).issues.map(formatError);
const configOf = (schema: object, yaml: string, extra?: Extra): unknown => {
  const { value, issues } = check(schema, yaml, extra);
  expect(issues.map(formatError)).to.deep.equal([]);
  return JSON.parse(JSON.stringify(value?.config)) as unknown;
};
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

describe('validateConfig', () => {
  describe('says of a value that does not fit', () => {
    const p = 'modules[2].config';
    const cases: readonly [string, object, string, string][] = [
      ['integer range', { type: 'integer', minimum: 1, maximum: 65535 }, '"abc"', `${p}.v: expected integer 1-65535, got "abc"`],
      ['maximum', { type: 'integer', maximum: 65535 }, '70000', `${p}.v: v must be <= 65535; got 70000`],
      ['minimum', { type: 'number', minimum: 0 }, '-0.5', `${p}.v: v must be >= 0; got -0.5`],
      ['open range', { type: 'integer', minimum: 1 }, 'x', `${p}.v: expected integer >= 1, got "x"`],
      ['upper range', { type: 'integer', maximum: 9 }, 'x', `${p}.v: expected integer <= 9, got "x"`],
      ['signed range', { type: 'integer', minimum: -5, maximum: 5 }, 'x', `${p}.v: expected integer from -5 to 5, got "x"`],
      ['unit', { type: 'integer', 'x-unit': 'bytes' }, '5 MB', `${p}.v: expected integer (bytes), got "5 MB"`],
      ['fraction', { type: 'integer' }, '1.5', `${p}.v: expected integer, got 1.5`],
      ['string', { type: 'string' }, '[1]', `${p}.v: expected string, got a list`],
      ['empty list', { type: 'string' }, '[]', `${p}.v: expected string, got an empty list`],
      ['map', { type: 'object', properties: {} }, '5', `${p}.v: expected map, got 5`],
      ['list of maps', { type: 'array', items: { type: 'object' } }, '5', `${p}.v: expected list of maps, got 5`],
      ['plain list', { type: 'array' }, '{}', `${p}.v: expected list, got a map`],
      ['several types', { type: ['integer', 'boolean'] }, 'x', `${p}.v: expected integer or true or false, got "x"`],
      ['constant', { const: 'auto' }, 'autoo', `${p}.v: expected "auto", got "autoo"`],
      ['enum of one', { enum: ['auto'] }, '5', `${p}.v: expected "auto", got 5`],
      ['long enum', { enum: Array.from({ length: 14 }, (_, n) => n) }, '99', `${p}.v: expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (2 more), got 99`],
      ['minLength', { type: 'string', minLength: 3 }, 'ab', `${p}.v: v must have at least 3 characters; got "ab"`],
      ['empty text', { type: 'string', minLength: 1 }, '""', `${p}.v: v must not be empty`],
      ['maxLength', { type: 'string', maxLength: 1 }, 'ab', `${p}.v: v must have at most 1 character; got "ab"`],
      ['long text', { type: 'string', maxLength: 5 }, 'x'.repeat(50), `${p}.v: v must have at most 5 characters; got 50`],
      ['pattern', { type: 'string', pattern: '^[a-z]+$' }, 'A B', `${p}.v: v must match ^[a-z]+$; got "A B"`],
      ['long value', { type: 'integer' }, 'y'.repeat(100), `${p}.v: expected integer, got "${'y'.repeat(60)}…"`],
      ['minItems', { type: 'array', minItems: 1 }, '[]', `${p}.v: v must have at least 1 item; got 0`],
      ['maxItems', { type: 'array', maxItems: 1 }, '[1, 2]', `${p}.v: v must have at most 1 item; got 2`],
      ['not', { type: 'string', not: { enum: ['a', 'b'] } }, 'a', `${p}.v: v must not be one of "a", "b"; got "a"`],
      ['union', { anyOf: [{ type: 'integer' }, { type: 'boolean' }, { type: 'integer' }] }, 'x', `${p}.v: expected integer or true or false, got "x"`],
      ['union with the meant form', { anyOf: [{ type: 'integer', minimum: 5 }, { type: 'boolean' }] }, '1', `${p}.v: v must be >= 5; got 1`],
      ['exclusive union', { oneOf: [{ type: 'integer' }, { type: 'number' }] }, '1', `${p}.v: v fits more than one of its forms; got 1`],
      ['exclusive union, none', { oneOf: [{ const: 'auto' }, { type: 'integer' }] }, 'x', `${p}.v: expected "auto" or integer, got "x"`],
      ['all of', { allOf: [{ type: 'integer' }, { maximum: 5 }] }, '6', `${p}.v: v must be <= 5; got 6`],
      ['rules of ajv beyond ours', { type: 'integer', exclusiveMinimum: 0 }, '0', `${p}.v: v must be > 0; got 0`],
      ['exclusiveMaximum', { type: 'integer', exclusiveMaximum: 5 }, '5', `${p}.v: v must be < 5; got 5`],
      ['multipleOf', { type: 'integer', multipleOf: 5 }, '7', `${p}.v: v must be a multiple of 5; got 7`],
      ['uniqueItems', { type: 'array', uniqueItems: true }, '[a, b, a]', `${p}.v: v must not repeat an item; items 0 and 2 are equal`],
      ['minProperties', { type: 'object', minProperties: 2 }, '{a: 1}', `${p}.v: v must have at least 2 keys; got 1`],
      ['maxProperties', { type: 'object', maxProperties: 1 }, '{a: 1, b: 2}', `${p}.v: v must have at most 1 key; got 2`],
      ['contains', { type: 'array', contains: { const: 1 } }, '[2]', `${p}.v: v must contain at least 1 valid item(s); got a list`],
      ['a key in brackets', { type: 'object', additionalProperties: { type: 'integer' } }, '{"a b": x}', `${p}.v["a b"]: expected integer, got "x"`],
      ['nothing', { type: 'integer' }, '', `${p}.v: expected integer, got nothing`],
      ['null', { type: 'integer' }, 'null', `${p}.v: expected integer, got null`],
      ['value without rules', false as unknown as object, '1', `${p}.v: v boolean schema is false; got 1`],
    ];
    for (const [name, schema, value, expected] of cases) {
      it(name, () => {
        const [issue, ...more] = check(object({ v: schema }), `config:\n  v: ${value}`).issues;
        expect(more.map(formatError)).to.deep.equal([]);
        expect(issue?.message).to.equal(expected);
        expect(issue?.code).to.equal('CONFIG_BAD_VALUE');
      });
    }
  });

  it('names keys that a rule about names refuses', () => {
    const schema = object({ v: { type: 'object', propertyNames: { pattern: '^a' } } });
    expect(errors(schema, 'config: {v: {b: 1}}')).to.deep.equal([
      'c.yaml:1:13  error  CONFIG_BAD_VALUE  modules[2].config.v: v must not have the key "b"',
    ]);
  });

  describe('says what is missing', () => {
    const cases: readonly [string, object, string, string][] = [
      ['always', { required: ['a'] }, '{}', '"a"'],
      ['when a value is given', { if: { properties: { b: { const: 'x' } }, required: ['b'] }, then: { required: ['a'] } }, '{b: x}', '"a" when b is "x"'],
      ['when one of several is given', { if: { properties: { b: { enum: ['x', 1] } } }, then: { required: ['a'] } }, '{b: 1}', '"a" when b is "x" or 1'],
      ['when another is set', { if: { required: ['b'] }, then: { required: ['a'] } }, '{b: 1}', '"a" when b is set'],
      ['when another is not set', { if: { required: ['b'] }, then: {}, else: { required: ['a'] } }, '{}', '"a" when b is not set'],
      ['when a value is not given', { if: { properties: { b: { const: 'x' } } }, then: {}, else: { required: ['a'] } }, '{b: y}', '"a" when b is not "x"'],
      ['when two hold', { if: { properties: { b: { const: 1 } }, required: ['b', 'c'] }, then: { required: ['a'] } }, '{b: 1, c: 2}', '"a" when b is 1 and c is set'],
      ['in a branch among others', { allOf: [{ if: { required: ['b'] }, then: { required: ['a'] } }] }, '{b: 1}', '"a" when b is set'],
      ['under a condition without short form', { if: { properties: { b: { minimum: 5 } } }, then: { required: ['a'] } }, '{b: 9}', '"a"'],
      ['when either of two does not hold', { if: { required: ['b', 'c'] }, then: {}, else: { required: ['a'] } }, '{}', '"a"'],
      ['by dependency', { dependencies: { b: ['a'] } }, '{b: 1}', '"a" when b is set'],
    ];
    for (const [name, rules, yaml, expected] of cases) {
      it(name, () => {
        const schema = object({ a: {}, b: {}, c: {} }, rules);
        expect(errors(schema, `config: ${yaml}`)).to.deep.equal([
          `c.yaml:9:5  error  CONFIG_MISSING_KEY  modules[2].config.a: acme::x::X needs ${expected}`,
        ]);
      });
    }

    it('inside a map, at that map', () => {
      const schema = object({ tls: object({ 'a/b~c': {} }, { required: ['a/b~c'] }) });
      expect(errors(schema, 'config:\n  tls: {}')).to.deep.equal([
        'c.yaml:2:8  error  CONFIG_MISSING_KEY  modules[2].config.tls["a/b~c"]: acme::x::X needs "tls["a/b~c"]"',
      ]);
    });

    it('inside a default, at the entry', () => {
      const schema = object({ list: { default: [{}], items: object({ a: {} }, { required: ['a'] }) } });
      expect(errors(schema, 'config: {}')).to.deep.equal([
        'c.yaml:1:9  error  CONFIG_MISSING_KEY  modules[2].config.list[0].a: acme::x::X needs "list[0].a"',
      ]);
    });

    it('of slots', () => {
      const schema = object({ adapter: {}, port: { type: 'integer' } }, { required: ['adapter', 'port'] });
      expect(errors(schema, 'config: {port: 1}', { slotKeys: ['adapter'] })).to.deep.equal([
        'c.yaml:9:5  error  CONFIG_MISSING_KEY  modules[2].config.adapter: acme::x::X needs "adapter"',
      ]);
      expect(configOf(schema, 'config: {port: 1, adapter: {class: x}}', { slotKeys: ['adapter'] })).to.deep.equal({ port: 1 });
    });
  });

  describe('unknown keys', () => {
    it('are refused wherever the schema names keys, with the nearest name', () => {
      const schema = object({ port: {}, cors: object({ origin: {} }), list: { items: object({ name: {} }) } });
      expect(errors(schema, 'config:\n  prt: 1\n  cors: {orign: 1}\n  list: [{nam: 1}]\n  zzz: 1')).to.deep.equal([
        'c.yaml:2:3  error  CONFIG_UNKNOWN_KEY  modules[2].config.prt: acme::x::X has no setting "prt"\n    hint: did you mean "port"?',
        'c.yaml:3:10  error  CONFIG_UNKNOWN_KEY  modules[2].config.cors.orign: acme::x::X has no setting "cors.orign"\n    hint: did you mean "cors.origin"?',
        'c.yaml:4:11  error  CONFIG_UNKNOWN_KEY  modules[2].config.list[0].nam: acme::x::X has no setting "list[0].nam"\n    hint: did you mean "list[0].name"?',
        'c.yaml:5:3  error  CONFIG_UNKNOWN_KEY  modules[2].config.zzz: acme::x::X has no setting "zzz"',
      ]);
    });

    it('are refused by a class without settings', () => {
      expect(errors({}, 'config: {a: 1}')).to.deep.equal(['c.yaml:1:10  error  CONFIG_UNKNOWN_KEY  modules[2].config.a: acme::x::X has no setting "a"']);
    });

    it('may be slots', () => {
      expect(errors(object({}), 'config: {adaptr: 1}', { slotKeys: ['adapter'] })[0]).to.contain('did you mean "adapter"?');
    });

    it('are taken where the schema allows them', () => {
      expect(configOf(object({ a: {} }, { additionalProperties: true }), 'config: {b: 1}')).to.deep.equal({ b: 1 });
      expect(configOf(object({ a: { type: 'object' } }), 'config: {a: {b: {c: 1}}}')).to.deep.equal({ a: { b: { c: 1 } } });
      expect(configOf({ type: 'object', patternProperties: { '^x': { type: 'integer' } } }, 'config: {x1: 1}')).to.deep.equal({ x1: 1 });
    });

    it('may be named by a branch, and refused by another', () => {
      const schema = object({ kind: {} }, { oneOf: [
        { properties: { kind: { const: 'a' }, x: {} }, required: ['kind'], additionalProperties: false },
        { properties: { kind: { const: 'b' }, y: {} }, required: ['kind'], additionalProperties: false },
      ] });
      expect(configOf(schema, 'config: {kind: a, x: 1}')).to.deep.equal({ kind: 'a', x: 1 });
      const branch = object({ a: {}, b: {} }, { if: { required: ['a'] }, then: { properties: { a: {} }, additionalProperties: false } });
      expect(errors(branch, 'config: {a: 1, b: 2}')).to.deep.equal([
        'c.yaml:1:19  error  CONFIG_UNKNOWN_KEY  modules[2].config.b: acme::x::X has no setting "b"',
      ]);
    });

    it('are reported a thousand times at most', () => {
      const yaml = `config:\n${Array.from({ length: 3000 }, (_, index) => `  k${index}: 1\n`).join('')}`;
      expect(errors(object({ key: {} }), yaml)).to.have.length(1000);
    });
  });

  it('warns of deprecated keys, which still count', () => {
    const schema = object({ old: { type: 'string', 'x-deprecated': 'use "new"' }, new: { type: 'string' }, gone: { 'x-deprecated': 'since 2.0; use nothing' } });
    const { value, issues } = check(schema, 'config: {old: x, gone: 1}');
    expect(issues.map(formatError)).to.deep.equal([
      'c.yaml:1:10  warning  CONFIG_DEPRECATED_KEY  modules[2].config.old: deprecated; use "new"',
      'c.yaml:1:18  warning  CONFIG_DEPRECATED_KEY  modules[2].config.gone: deprecated since 2.0; use nothing',
    ]);
    expect(value?.config).to.deep.equal({ old: 'x', gone: 1 });
  });

  describe('fills in', () => {
    const schema = object({
      port: { type: 'integer', default: 1, 'x-env': 'X_PORT' },
      cors: object({ max: { type: 'integer', 'x-env': 'X_MAX' }, on: { type: 'boolean', default: true } }),
      list: { type: 'array', default: [{ a: 1 }, {}], items: object({ a: { type: 'integer' }, b: { default: 2 } }) },
      made: { type: 'object', default: {}, properties: { deep: { default: {}, properties: { x: { default: 'y' } } }, none: { default: {} } } },
      empty: { type: 'array', default: [] },
    });
    const filled = { port: 1, list: [{ a: 1, b: 2 }, { b: 2 }], made: { deep: { x: 'y' }, none: {} }, empty: [] };

    it('defaults, also inside defaults and lists', () => expect(configOf(schema, 'config:')).to.deep.equal(filled));

    it('what is written before the variable, the variable before the default', () => {
      const env = { X_PORT: '2', X_MAX: '5' };
      expect(configOf(schema, 'config:', { env })).to.deep.equal({ ...filled, port: 2, cors: { max: 5, on: true } });
      expect(configOf(schema, 'config: {port: 3}', { env: { X_PORT: '2' } })).to.deep.equal({ ...filled, port: 3 });
    });

    it('defaults of maps that are written', () => {
      expect(configOf(schema, 'config: {cors: {}}')).to.deep.equal({ ...filled, cors: { on: true } });
    });

    it('settings that allOf names, not those of a branch', () => {
      const branching = { allOf: [object({ a: { default: 1 } })], anyOf: [object({ b: { default: 2 } }), {}] };
      expect(configOf(branching, 'config: {}')).to.deep.equal({ a: 1 });
    });

    it('nothing at the place of a slot', () => {
      expect(configOf(object({ adapter: { default: { class: 'x' } } }), 'config: {}', { slotKeys: ['adapter'] })).to.deep.equal({});
    });

    it('and counts and remembers where values come from', () => {
      const yaml = 'config:\n  port: ${P}\n  cors: {max: "${Q:7}"}\n  list: []\n  made: {}';
      const { value } = check(schema, yaml, { env: { P: '4' } });
      const place = (line: number, column: number): object => ({ file: 'c.yaml', line, column });
      expect(value?.envCount).to.equal(1);
      expect({ ...value?.origins }).to.deep.equal({
        port: { kind: 'env', variable: 'P', at: place(2, 9) },
        'cors.max': { kind: 'env', variable: 'Q', at: place(3, 15), fromDefault: true },
        'cors.on': { kind: 'default' }, list: { kind: 'file', at: place(4, 9) },
        'made.deep.x': { kind: 'default' }, 'made.none': { kind: 'default' }, empty: { kind: 'default' },
      });
      expect(check(schema, 'config:', { env: { X_PORT: '4' } }).value?.origins['port']).to.deep.equal({ kind: 'env', variable: 'X_PORT' });
    });
  });

  describe('variables', () => {
    it('that do not fit are named, secrets are not shown', () => {
      const schema = object({ port: { type: 'integer', 'x-env': 'X_PORT' }, pin: { type: 'integer', 'x-secret': true, 'x-env': 'X_PIN' } });
      expect(errors(schema, 'config: {}', { env: { X_PORT: 'abc', X_PIN: 'hunter2' } })).to.deep.equal([
        'c.yaml:9:5  error  CONFIG_BAD_ENV  modules[2].config.port: X_PORT is "abc"; acme::x::X port must be an integer',
        'c.yaml:9:5  error  CONFIG_BAD_ENV  modules[2].config.pin: X_PIN is [redacted]; acme::x::X pin must be an integer',
      ]);
      expect(errors(schema, 'config: {pin: "${P}", port: "${Q}"}', { env: { P: 'hunter2', Q: 'x' } })).to.deep.equal([
        'c.yaml:1:15  error  CONFIG_BAD_ENV  modules[2].config.pin: P is [redacted]; acme::x::X pin must be an integer',
        'c.yaml:1:29  error  CONFIG_BAD_ENV  modules[2].config.port: Q is "x"; acme::x::X port must be an integer',
      ]);
    });

    it('in words of their own say what a setting is, after its own variable', () => {
      const schema = object({ on: { type: 'boolean', default: true, 'x-env': 'X_ON', 'x-env-words': { STD_OFF: { true: false, false: true } } } });
      expect(configOf(schema, 'config: {}', { env: { STD_OFF: ' TRUE ' } })).to.deep.equal({ on: false });
      expect(configOf(schema, 'config: {}', { env: { STD_OFF: ' ' } })).to.deep.equal({ on: true });
      expect(configOf(schema, 'config: {}', { env: { STD_OFF: 'true', X_ON: 'true' } })).to.deep.equal({ on: true });
      expect(configOf(schema, 'config: {on: true}', { env: { STD_OFF: 'true' } }), 'what the file writes wins').to.deep.equal({ on: true });
      expect(errors(schema, 'config: {}', { env: { STD_OFF: 'yes' } })).to.deep.equal([
        'c.yaml:9:5  error  CONFIG_BAD_ENV  modules[2].config.on: STD_OFF is "yes"; acme::x::X STD_OFF must be one of true, false',
      ]);
    });

    it('that are missing are not reported a second time', () => {
      const schema = object({ port: { type: 'integer' }, list: { items: { type: 'integer' } } }, { required: ['port'] });
      expect(errors(schema, 'config: {port: "${X}", list: ["a${X}", 1]}')).to.deep.equal([]);
      expect(errors(schema, 'config: ${X}')).to.deep.equal([]);
      expect(check(schema, 'config: ${X}').value).to.equal(undefined);
    });

    it('follow enum and const without a type', () => {
      const schema = object({ a: { enum: [1, 2.5, 'x'] }, b: { const: true }, c: { anyOf: [{ type: 'integer' }, { const: 'auto' }] }, d: {} });
      const env = { A: '2.5', B: 'true', C: 'auto', D: '7' };
      expect(configOf(schema, 'config: {a: "${A}", b: "${B}", c: "${C}", d: "${D}"}', { env })).to.deep.equal({ a: 2.5, b: true, c: 'auto', d: '7' });
    });
  });

  it('refuses a config that is not a map', () => {
    expect(errors({}, 'config: [1]')).to.deep.equal(['c.yaml:1:9  error  CONFIG_BAD_VALUE  modules[2].config: expected map, got a list']);
  });

  it('blames the package for a schema that is not valid', () => {
    expect(errors(object({ a: { minimun: 1 } }), 'config: {a: 1}')).to.deep.equal([
      'c.yaml:9:5  error  CLASS_BAD_SCHEMA  the config schema of acme::x::X is not valid: strict mode: unknown keyword: "minimun"\n'
      + '    hint: this is a fault of the package that provides the class',
    ]);
  });

  it('gives plain, deeply frozen values without prototype, hostile keys included', () => {
    const schema = object({ list: {}, map: { type: 'object' }, made: { default: { a: [1] } } });
    const { value } = check(schema, 'config: {list: [{a: 1}], map: {__proto__: {x: 1}, constructor: 2}}');
    const config = value?.config as Record<string, Record<string, unknown>>;
    const all: unknown[] = [config, config['list'], config['list']?.[0 as never], config['map'], config['made'], config['made']?.['a']];
    for (const part of all) expect(Object.isFrozen(part)).to.equal(true);
    expect(Object.getPrototypeOf(config['map'])).to.equal(null);
    expect(Object.entries(config['map'] ?? {}).map(([key, item]) => [key, JSON.stringify(item)])).to.deep.equal([
      ['__proto__', '{"x":1}'], ['constructor', '2'],
    ]);
    expect(Object.isFrozen(value?.origins)).to.equal(true);
  });

  it('explains some hundreds of the wrong values in a megabyte', () => {
    const yaml = `config: {list: [${'x,'.repeat(480_000)}]}`;
    expect(errors(object({ list: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } } }), yaml).length).to.be.within(300, 1000);
  }).timeout(60_000);
});
