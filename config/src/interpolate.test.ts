import { type Environment, formatError } from '@treadle/api';
import { expect } from 'chai';
import fc from 'fast-check';
import { interpolate, parseConfig, type Located, type LocatedMap, type LocatedScalar } from './index.js';
import { plainOf, placesOf } from './located.fixture.js';

const tree = (yaml: string): LocatedMap => parseConfig(yaml, 'c.yaml').value!;
const run = (yaml: string, env: Environment = {}): { values: unknown; errors: string[] } => {
  const { value, issues } = interpolate(tree(yaml), env);
  return { values: plainOf(value), errors: issues.map(formatError) };
};
const scalar = (text: string, env: Environment = {}): LocatedScalar =>
  interpolate(tree(`a: ${JSON.stringify(text)}`), env).value.entries.get('a')?.value as LocatedScalar;

describe('interpolate', () => {
  const env = { A: 'one', EMPTY: '', COLON: 'x:y', TRICK: '${A} $& $1', B2_: 'two' };
  const cases: readonly [string, string][] = [
    ['${A}', 'one'],
    ['${A:no}', 'one'],
    ['${NO:default}', 'default'],
    ['${NO:}', ''],
    ['${NO:a:b:c}', 'a:b:c'],
    ['${NO: spaced }', ' spaced '],
    ['${EMPTY:default}', ''],
    ['${COLON}', 'x:y'],
    ['pre ${A} mid ${B2_} post', 'pre one mid two post'],
    ['${A}${A}', 'oneone'],
    ['$${A}', '${A}'],
    ['$$${A}', '$${A}'],
    ['$${A} ${A}', '${A} one'],
    ['$A $ {A} {A} $', '$A $ {A} {A} $'],
    ['${TRICK}', '${A} $& $1'],
    ['$${', '${'],
    ['costs $5', 'costs $5'],
  ];
  for (const [text, expected] of cases) it(`makes ${expected} of ${text}`, () => expect(scalar(text, env).value).to.equal(expected));

  it('replaces in quoted, plain and block scalars, in lists and maps, never in keys', () => {
    const yaml = 'a: ${A}\nb: "${A}"\nc: \'${A}\'\nd: |\n  x ${A}\ne: ["${A}"]\n"${A}": {f: "${A}"}';
    expect(run(yaml, env)).to.deep.equal({
      values: { a: 'one', b: 'one', c: 'one', d: 'x one\n', e: ['one'], '${A}': { f: 'one' } }, errors: [],
    });
  });

  it('remembers which variables made a value', () => {
    expect(scalar('${A}', env).interpolated).to.deep.equal({ variables: ['A'], fromDefault: false, whole: true });
    expect(scalar('${NO:1}', env).interpolated).to.deep.equal({ variables: ['NO'], fromDefault: true, whole: true });
    expect(scalar('x${A}${NO:1}', env).interpolated).to.deep.equal({ variables: ['A', 'NO'], fromDefault: false, whole: false });
    expect(scalar('${DB_PASSWORD:x}', env).interpolated).to.deep.equal({ variables: ['DB_PASSWORD'], fromDefault: true, whole: true, secret: true });
    expect(scalar('$${A}', env).interpolated).to.equal(undefined);
    expect(scalar('x', env).interpolated).to.equal(undefined);
  });

  it('reports every variable without value, with place and path', () => {
    expect(run('a: ${X}\nb:\n  - "x ${Y} ${Z}"\n').errors).to.deep.equal([
      'c.yaml:1:4  error  CONFIG_ENV_MISSING  a: environment variable X is not set and has no default\n    hint: write ${X:value} or set it',
      'c.yaml:3:5  error  CONFIG_ENV_MISSING  b[0]: environment variable Y is not set and has no default\n    hint: write ${Y:value} or set it',
      'c.yaml:3:5  error  CONFIG_ENV_MISSING  b[0]: environment variable Z is not set and has no default\n    hint: write ${Z:value} or set it',
    ]);
    expect(scalar('${X}').interpolated?.missing).to.equal(true);
  });

  const malformed: readonly [string, string][] = [
    ['${}', '"${}"'], ['${a-b}', '"${a-b}"'], ['${1A}', '"${1A}"'], ['${A', '"${A…"'], ['${ A }', '"${ A }"'], ['${A:${B}}', '"${A:${B}"'],
    [`\${${'x'.repeat(100)} }`, `"\${${'x'.repeat(18)}…"`],
  ];
  for (const [text, shown] of malformed) {
    it(`refuses ${text.slice(0, 20)}`, () => {
      expect(run(`a: {b.c: ${JSON.stringify(text)}}`).errors).to.deep.equal([
        `c.yaml:1:10  error  CONFIG_SYNTAX  a["b.c"]: ${shown} is not a placeholder (\${VAR} or \${VAR:default}); write $\${ for a literal \${`,
      ]);
    });
  }

  it('knows own variables only', () => {
    expect(run('a: ${__proto__:x}\nb: ${constructor:y}\nc: ${toString:z}').values).to.deep.equal({ a: 'x', b: 'y', c: 'z' });
    expect(scalar('${A}', { A: undefined }).interpolated?.missing).to.equal(true);
  });

  it('replaces and reports what an alias stands for once', () => {
    expect(run('a: &x {k: "${X}"}\nb: *x\nc: *x').errors).to.have.length(1);
  });

  it('reports at most a thousand', () => {
    const yaml = `a: [${'"${X}", "${-}",'.repeat(2000)}]`;
    expect(run(yaml).errors).to.have.length(1000);
  });

  it('never changes the structure, whatever a variable holds', () => {
    const yaml = 'a: ${A}\nb: ["${B}", {c: "x${A}y"}]\nd: |\n  ${B}\n';
    const before = tree(yaml);
    const shape = (node: Located): unknown => {
      if (node.kind === 'scalar') return 's';
      return node.kind === 'list' ? node.items.map(shape) : [...node.entries].map(([key, { value }]) => [key, shape(value)]);
    };
    fc.assert(fc.property(fc.string(), fc.oneof(fc.string(), fc.constantFrom('\n- x', '}: {', 'a: b', '${A}', '*x', '!!map', '__proto__')), (a, b) => {
      const { value } = interpolate(before, { A: a, B: b });
      expect(shape(value)).to.deep.equal(shape(before));
      expect(placesOf(value)).to.deep.equal(placesOf(before));
      expect((value.entries.get('a')?.value as LocatedScalar).value).to.equal(a);
    }), { numRuns: 300, seed: 20_261_120 });
  });

  it('leaves the tree it was given as it is', () => {
    const before = tree('a: ${A}');
    interpolate(before, env);
    expect(plainOf(before)).to.deep.equal({ a: '${A}' });
  });
});
