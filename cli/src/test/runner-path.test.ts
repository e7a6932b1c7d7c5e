import { expect } from 'chai';
import { runnerPath } from './runner-path.js';

describe('a test file as the runner of Node.js is told it', () => {
  it('is a path where the runner takes paths', () => {
    expect(runnerPath('steps/[id]/{a}.test.ts', 20)).to.equal('steps/[id]/{a}.test.ts');
  });

  it('is a pattern that means this file alone where the runner takes patterns', () => {
    expect(runnerPath('steps/[id]/a.test.ts', 22)).to.equal('steps/[[]id[]]/a.test.ts');
    expect(runnerPath('a*/@(b)?.test.ts', 24)).to.equal('a[*]/@[(]b[)][?].test.ts');
    expect(runnerPath('{a,b}/c.test.ts', 21)).to.equal('[z-|]a,b[|-~]/c.test.ts');
  });
});
