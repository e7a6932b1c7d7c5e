import { expect } from 'chai';
import { parseRoutePath, type RouteFault, type RoutePath } from './route-grammar.js';

describe('parseRoutePath', () => {
  const good: readonly [string, Partial<RoutePath>][] = [
    ['/', { pattern: '/', names: [], shape: '/' }],
    ['/tickets', { pattern: '/tickets', names: [], shape: '/tickets' }],
    ['/tickets/', { pattern: '/tickets/', shape: '/tickets/' }],
    ['/tickets/:id', { pattern: '/tickets/:id', names: ['id'], shape: '/tickets/:' }],
    ['/a/:b_1/c/:D', { names: ['b_1', 'D'], shape: '/a/:/c/:' }],
    ['/files/*rest', { pattern: '/files/*', names: ['rest'], rest: 'rest', shape: '/files/*' }],
    ['/*all', { pattern: '/*', rest: 'all', shape: '/*' }],
    ['/a.json', { pattern: '/a.json' }],
    ['/~user/@me/a-b', { pattern: '/~user/@me/a-b' }],
    ['/café', { pattern: '/café' }],
  ];
  for (const [path, expected] of good) {
    it(`reads ${path}`, () => {
      expect(parseRoutePath(path)).to.include(expected.names ? { pattern: (parseRoutePath(path) as RoutePath).pattern } : expected);
      for (const [key, value] of Object.entries(expected)) expect((parseRoutePath(path) as never)[key], key).to.deep.equal(value);
    });
  }

  const bad = [
    'tickets', '', '//', '/a//b', '/:', '/a/:', '/*', '/*a/b', '/a/*rest/', '/:a-:b', '/:a.json', '/:a(\\d+)', '/:a?', '/a::b',
    '/x:y', '/:a/:a', '/:a/*a', '/a b', '/a?b', '/a#b', '/a%20b', '/a*', '/(a|b)', '/[a]', '/{a}', '/a\\b', '/:__proto__',
    '/:constructor', '/:1a', '/:a b', '/a\u0000', '/a\n', '/./a', '/a/..', '/a;b', `/${'a'.repeat(1024)}`,
  ];
  for (const path of bad) {
    it(`refuses ${JSON.stringify(path.slice(0, 30))}`, () => {
      expect((parseRoutePath(path) as RouteFault).fault).to.be.a('string').and.not.be.empty;
    });
  }

  it('names the culprit', () => {
    expect(parseRoutePath('/a/:b/c-:d')).to.deep.equal({
      fault: '":" in the segment "c-:d"; only ":name" segments and a final "*rest" are special in "/a/:b/c-:d"',
    });
  });

  it('gives paths that differ in parameter names one shape', () => {
    expect((parseRoutePath('/a/:id') as RoutePath).shape).to.equal((parseRoutePath('/a/:name') as RoutePath).shape);
  });
});
