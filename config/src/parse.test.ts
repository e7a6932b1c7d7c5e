import { formatError } from '@treadle/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseConfig, type Located, type LocatedMap } from './index.js';
import { plainOf, placesOf } from './located.fixture.js';

const parsed = (text: string): LocatedMap => {
  const { value, issues } = parseConfig(text, 'c.yaml');
  expect(issues.map(formatError)).to.deep.equal([]);
  return value as LocatedMap;
};
const reasons = (text: string): string[] =>
  parseConfig(text, 'c.yaml').issues.map((issue) => formatError(issue).split('\n')[0] as string);

describe('parseConfig', () => {
  it('reads the core schema', () => {
    const text = 'a: 1\nb: 0x1F\nc: 1.5\nd: true\ne: ~\nf:\ng: "1"\nh: yes\ni: 2020-01-01\nj: -.inf\nk: 0123\nl: !!str 5\nm: ! 6\n';
    expect(plainOf(parsed(text))).to.deep.equal({
      a: 1, b: 31, c: 1.5, d: true, e: null, f: null, g: '1', h: 'yes', i: '2020-01-01', j: -Infinity, k: 123, l: '5', m: '6',
    });
  });

  it('accepts explicit tags of the core schema on collections and scalars', () => {
    expect(plainOf(parsed('a: !!seq [1]\nb: !!map {c: !<tag:yaml.org,2002:int> 7}'))).to.deep.equal({ a: [1], b: { c: 7 } });
  });

  const empty = ['', '\n', '# only a comment', '---\n', '~', '\uFEFF'];
  for (const text of empty) {
    it(`takes ${JSON.stringify(text)} as an empty map`, () => expect(plainOf(parsed(text))).to.deep.equal({}));
  }

  it('keeps hostile keys as data', () => {
    const tree = parsed('__proto__: {polluted: 1}\nconstructor: 2\n"toString": 3');
    expect([...tree.entries.keys()]).to.deep.equal(['__proto__', 'constructor', 'toString']);
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });

  it('takes keys as text, whatever they look like', () => {
    expect([...parsed('1: a\ntrue: b\n~: c\n0x1: d\n"<<": e\n? f\n').entries.keys()]).to.deep.equal(['1', 'true', '~', '0x1', '<<', 'f']);
  });

  describe('places', () => {
    const text = [
      'a: plain', // 1
      '"b": "quoted"', // 2
      "c: 'single'", // 3
      'd: |', // 4
      '  block', // 5
      'e: >-  # folded', // 6
      '  folded', // 7
      'f: [1, "two", {g: 3}]', // 8
      'h:', // 9
      '  - - nested', // 10
      '    - deep: x', // 11
      '  -', // 12
      '  -   # dash', // 13
      'i:', // 14
      'j: &anchor !!str tagged', // 15
      'k: *anchor', // 16
    ].join('\n');

    it('are those of the value, from 1, quotes and block headers included', () => {
      expect(placesOf(parsed(text))).to.deep.equal({
        a: '1:4', b: '2:6', c: '3:4', d: '4:4', e: '6:4', f: '8:4', 'f[0]': '8:5', 'f[1]': '8:8', 'f[2]': '8:15', 'f[2].g': '8:19',
        h: '10:3', 'h[0]': '10:5', 'h[0][0]': '10:7', 'h[0][1]': '11:7', 'h[0][1].deep': '11:13', 'h[1]': '12:3', 'h[2]': '13:3',
        i: '14:1', j: '15:18', k: '15:18',
      });
    });

    it('of keys are those of the key', () => {
      const keys = [...parsed(text).entries].map(([key, { keyAt }]) => `${key} ${keyAt.line}:${keyAt.column}`);
      expect(keys.slice(0, 3)).to.deep.equal(['a 1:1', 'b 2:1', 'c 3:1']);
    });

    for (const end of ['\n', '\r\n', '\r']) {
      it(`count lines that end with ${JSON.stringify(end)}`, () => {
        expect(placesOf(parsed(`a:${end}  - x${end}  - y`))).to.deep.equal({ a: '2:3', 'a[0]': '2:5', 'a[1]': '3:5' });
      });
    }

    it('do not count a byte order mark', () => expect(placesOf(parsed('\uFEFFa: 1'))).to.deep.equal({ a: '1:4' }));
  });

  describe('refuses with one clear line', () => {
    const deep = (levels: number): string => `a: ${'['.repeat(levels)}${']'.repeat(levels)}`;
    const cases: readonly [string, string, readonly string[]][] = [
      ['a duplicate key', 'a: 1\nb: {c: 1, c: 2}\na: 3', [
        'c.yaml:2:11  error  CONFIG_SYNTAX  duplicate key "c", first on line 2',
        'c.yaml:3:1  error  CONFIG_SYNTAX  duplicate key "a", first on line 1',
      ]],
      ['a merge key', 'a: &x {b: 1}\nc: {<<: *x}', ['c.yaml:2:5  error  CONFIG_SYNTAX  merge keys (<<) are not supported']],
      ['a custom tag', 'a: !env X', ["c.yaml:1:4  error  CONFIG_SYNTAX  unknown tag !env; only YAML's core tags are understood"]],
      ['a custom tag on a list', 'a: !set [X]', ["c.yaml:1:4  error  CONFIG_SYNTAX  unknown tag !set; only YAML's core tags are understood"]],
      ['a tag that its value does not fit', 'a: !!bool maybe', ['c.yaml:1:4  error  CONFIG_SYNTAX  the text is not a valid !!bool']],
      ['a key that is a list', '[a]: 1\nb: 2', ['c.yaml:1:1  error  CONFIG_SYNTAX  a key must be text, not a list or a map']],
      ['a key that is an alias', 'a: &x y\n*x : 1', ['c.yaml:2:1  error  CONFIG_SYNTAX  an alias cannot be a key']],
      ['an alias without anchor', 'a: *x', ['c.yaml:1:4  error  CONFIG_SYNTAX  there is no anchor "&x" before this alias']],
      ['an alias inside its anchor', 'a: &x {b: *x}', ['c.yaml:1:11  error  CONFIG_SYNTAX  the alias "*x" is inside its own anchor']],
      ['too many aliases', `a: &x 1\nb: [${'*x, '.repeat(101)}]`, ['c.yaml:2:405  error  CONFIG_SYNTAX  more than 100 aliases in one file']],
      ['a list at the top', '- a', ['c.yaml:1:1  error  CONFIG_SYNTAX  expected map with "modules", "plugins" and "engine", got a list']],
      ['a text at the top', '\n  text', ['c.yaml:2:3  error  CONFIG_SYNTAX  expected map with "modules", "plugins" and "engine", got a single value']],
      ['a second document', 'a: 1\n---\nb: 2', ['c.yaml:2:1  error  CONFIG_SYNTAX  the file holds 2 YAML documents; one is allowed']],
      ['a second document after an empty one', '---\n---\na: 1', ['c.yaml:2:1  error  CONFIG_SYNTAX  the file holds 2 YAML documents; one is allowed']],
      ['a document after an end mark', 'a: 1\n...\nb: 2', ['c.yaml:2:1  error  CONFIG_SYNTAX  the file holds 2 YAML documents; one is allowed']],
      ['what is not YAML', 'a: "x', ['c.yaml:1:6  error  CONFIG_SYNTAX  unexpected end of the stream within a double quoted scalar']],
      ['a null byte', 'a: \0', ['c.yaml:1:4  error  CONFIG_SYNTAX  null byte is not allowed in input']],
      ['nesting beyond the parser', deep(150), ['c.yaml:1:104  error  CONFIG_SYNTAX  more than 100 levels of nesting']],
      ['nesting beyond the bound', deep(100), ['c.yaml:1:103  error  CONFIG_SYNTAX  more than 100 levels of nesting']],
      ['nesting through aliases', `a: &a ${'['.repeat(60)}${']'.repeat(60)}\nb: ${'['.repeat(50)}*a${']'.repeat(50)}`,
        ['c.yaml:2:54  error  CONFIG_SYNTAX  more than 100 levels of nesting']],
    ];
    for (const [name, text, expected] of cases) it(name, () => expect(reasons(text)).to.deep.equal(expected));

    it('shows the lines around, without secrets and control characters', () => {
      const text = `password: hunter2\nkey: ${'A1'.repeat(30)}\nok: "\${TOKEN}"\na: \x07\n`;
      expect(formatError(parseConfig(text, 'c.yaml').issues[0]!)).to.equal([
        'c.yaml:4:4  error  CONFIG_SYNTAX  the stream contains non-printable characters',
        ' 1 | password: [redacted]', ' 2 | key: [redacted] ...', ' 3 | ok: "${TOKEN}"', ' 4 | a: \\x07', '--------^',
      ].join('\n'));
    });

    it('keeps what can be read, so that later stages add their findings', () => {
      expect(plainOf(parseConfig('a: 1\na: 2\nb: 3', 'c.yaml').value!)).to.deep.equal({ a: 1, b: 3 });
    });

    it('stops counting faults at twenty', () => {
      expect(reasons('a: 1\n'.repeat(1000))).to.have.length(20);
    });
  });

  it('accepts 99 levels below the top and 100 aliases', () => {
    expect(reasons(`a: ${'['.repeat(99)}${']'.repeat(99)}`)).to.deep.equal([]);
    expect(reasons(`a: &x 1\nb: [${'*x, '.repeat(100)}]`)).to.deep.equal([]);
  });

  it('refuses billion laughs at once', () => {
    const level = (n: number): string => `a${n}: &a${n} [${Array.from({ length: 9 }, () => `*a${n - 1}`).join(', ')}]`;
    const bomb = ['a0: &a0 [lol, lol, lol, lol]', ...Array.from({ length: 9 }, (_, index) => level(index + 1))].join('\n');
    const began = process.cpuUsage();
    expect(reasons(bomb)).to.deep.equal(['c.yaml:5:15  error  CONFIG_SYNTAX  the aliases stand for more than 10000 values']);
    expect(process.cpuUsage(began).user, 'microseconds').to.be.below(1_000_000);
  });

  const shapes: readonly [string, string][] = [
    ['keys', 'k: 1\n'.repeat(200_000)],
    ['different keys', Array.from({ length: 90_000 }, (_, index) => `k${index}: 1`).join('\n')],
    ['list items', `a: [${'1,'.repeat(480_000)}]`],
    ['open brackets', '['.repeat(1_000_000)],
    ['documents', '---\n'.repeat(240_000)],
    ['quotes', `a: ${'"'.repeat(999_990)}`],
    ['dashes', '- '.repeat(490_000)],
    ['anchors', Array.from({ length: 60_000 }, (_, index) => `k${index}: &a 1`).join('\n')],
  ];
  for (const [name, text] of shapes) {
    it(`gets through a megabyte of ${name}`, () => {
      const began = process.cpuUsage();
      expect(parseConfig(text, 'c.yaml').issues.length).to.be.at.most(20);
      expect(process.cpuUsage(began).user, 'microseconds').to.be.below(10_000_000);
    });
  }

  it('never throws, and every issue has a line', () => {
    const piece = fc.constantFrom(
      'a', ': ', '\n', '  ', '- ', '[', ']', '{', '}', ',', '&x ', '*x', '!!int ', '!x ', '"', "'", '|', '>', '#', '?', '---\n', '...\n', '<<',
      '%TAG ! x\n', '\t', '\u0000', '\uFEFF', '1', '~', '${V}', '\\', '\r', '\ud800',
    );
    fc.assert(fc.property(fc.oneof(fc.array(piece, { maxLength: 40 }).map((parts) => parts.join('')), fc.string()), (text) => {
      const { value, issues } = parseConfig(text, 'c.yaml');
      expect(value !== undefined || issues.length > 0).to.equal(true);
      for (const issue of issues) expect(formatError(issue)).to.match(/^c\.yaml:\d+:\d+ {2}error {2}CONFIG_SYNTAX {2}\S/);
    }), { numRuns: 2000, seed: 20_261_120 });
  });

  it('reads back any JSON value', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(fc.property(json, (value) => {
      fc.pre(!JSON.stringify(value).includes('\\ud'));
      // JSON leaves some letters as they are that YAML has no room for.
      const text = JSON.stringify(value).replace(/[\x7f-\x9f\ufeff\ufffe\uffff]/g, ' ');
      expect(plainOf(parsed(text) as Located)).to.deep.equal(JSON.parse(text));
    }), { numRuns: 300, seed: 20_261_120 });
  });
});
