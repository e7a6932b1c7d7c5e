import { expect } from 'chai';
import { projectNameProblem } from './project-name.js';

describe('project names', () => {
  for (const name of ['app', 'my-app', 'a', '3d', 'my_app.v2', 'x'.repeat(214)]) {
    it(`take ${name.slice(0, 20)}`, () => expect(projectNameProblem(name)).to.equal(undefined));
  }

  const REFUSED: readonly (readonly [string, string])[] = [
    ['', 'the project needs a name'],
    ['../x', '"../x" is a path, not a name'],
    ['/tmp/x', '"/tmp/x" is a path, not a name'],
    ['a\\b', '"a\\b" is a path, not a name'],
    ['.', '"." is a path, not a name'],
    ['..', '".." is a path, not a name'],
    ['@acme/app', '"@acme/app" is a path, not a name'],
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
    ['node_modules', 'the name "node_modules" is reserved'],
    ['http', 'the name "http" is reserved'],
    ['treadle', 'the name "treadle" is reserved'],
    ['con', 'the name "con" is reserved'],
    ['lpt1.txt', 'the name "lpt1.txt" is reserved'],
  ];
  for (const [name, message] of REFUSED) {
    it(`refuse ${JSON.stringify(name).slice(0, 30)}`, () => {
      expect(projectNameProblem(name)?.message).to.equal(message);
      expect(projectNameProblem(name)?.hint).to.be.a('string').and.not.equal('');
    });
  }
});
