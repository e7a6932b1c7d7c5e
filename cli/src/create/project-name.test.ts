import { expect } from 'chai';
import { projectNameProblem, projectTarget } from './project-name.js';

describe('project names', () => {
  for (const name of ['app', 'my-app', 'a', '3d', 'my_app.v2', 'x'.repeat(214), '@acme/app', '@acme/http', '.']) {
    it(`take ${name.slice(0, 20)}`, () => expect(projectNameProblem(name)).to.equal(undefined));
  }

  const REFUSED: readonly (readonly [string, string])[] = [
    ['', 'the project needs a name'],
    ['../x', '"../x" is a path, not a name'],
    ['/tmp/x', '"/tmp/x" is a path, not a name'],
    ['a\\b', '"a\\b" is a path, not a name'],
    ['..', '".." is a path, not a name'],
    ['@acme/a/b', '"@acme/a/b" is a path, not a name'],
    ['@acme/', '"@acme/" cannot be a project name'],
    ['@/app', '"@/app" is a path, not a name'],
    ['@Acme/app', '"@Acme/app" has capital letters, which npm refuses'],
    ['@acme/nul', 'the name "@acme/nul" is reserved: Windows has a device of that name'],
    ['-x', '"-x" cannot be a project name'],
    ['.hidden', '".hidden" cannot be a project name'],
    ['a b', '"a b" cannot be a project name'],
    ['a;rm -rf ~', '"a;rm -rf ~" cannot be a project name'],
    ['$(id)', '"$(id)" cannot be a project name'],
    ['a`b`', '"a`b`" cannot be a project name'],
    ['a\nb', '"a\\nb" cannot be a project name'],
    ['ünï', '"ünï" cannot be a project name'],
    ['x'.repeat(215), 'the name has 215 characters; at most 214 are allowed'],
    ['MyApp', '"MyApp" has capital letters, which npm refuses'],
    ['node_modules', 'the name "node_modules" is reserved: npm refuses it'],
    ['http', 'the name "http" is reserved: Node.js has a module of that name'],
    ['treadle', 'the name "treadle" is reserved: the application depends on a package of that name'],
    ['con', 'the name "con" is reserved: Windows has a device of that name'],
    ['lpt1.txt', 'the name "lpt1.txt" is reserved: Windows has a device of that name'],
  ];
  for (const [name, message] of REFUSED) {
    it(`refuse ${JSON.stringify(name).slice(0, 30)}`, () => {
      expect(projectNameProblem(name)?.message).to.equal(message);
      expect(projectNameProblem(name)?.hint).to.be.a('string').and.not.equal('');
    });
  }

  for (const [given, cwd, name, folder] of [
    ['shop', '/srv', 'shop', '/srv/shop'],
    ['@acme/shop', '/srv', '@acme/shop', '/srv/shop'],
    ['.', '/srv/shop', 'shop', '/srv/shop'],
    ['.', '/srv/My Shop', 'my-shop', '/srv/My Shop'],
    ['.', '/srv/http', 'http-app', '/srv/http'],
    ['.', '/', 'my-app', '/'],
  ] as const) {
    it(`make of ${given} in ${cwd} the package ${name}`, () => expect(projectTarget(given, cwd)).to.deep.equal({ name, folder }));
  }
});
