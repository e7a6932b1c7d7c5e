import { expect } from 'chai';
import { previousLine, satisfies, validRange } from './semver.js';

describe('semver', () => {
  it('knows a range of versions', () => {
    for (const range of ['^1.0.0', '>=0.1 <2', '*', '1.x || 2.x']) expect(validRange(range), range).to.equal(true);
    for (const range of ['', 'one', 1, undefined, null]) expect(validRange(range), String(range)).to.equal(false);
  });

  it('counts a pre-release as what it precedes', () => {
    expect(satisfies('1.2.0-next.1', '^1.0.0')).to.equal(true);
    expect(satisfies('2.0.0', '^1.0.0')).to.equal(false);
  });

  it('offers the release line before a plugin that is too new for the engine', () => {
    expect(previousLine('0.3.1', '^2.0.0', '1.4.2')).to.equal('^0.2');
    expect(previousLine('2.1.0', '^2.0.0', '1.4.2')).to.equal('^1');
    expect(previousLine('0.0.7', '^2.0.0', '1.4.2')).to.equal(undefined);
    expect(previousLine('not a version', '^2.0.0', '1.4.2')).to.equal(undefined);
    expect(previousLine('0.3.1', '^0.9.0', '1.4.2')).to.equal(undefined);
  });
});
