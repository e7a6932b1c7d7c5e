import { expect } from 'chai';
import { type AdminError, refuseUnknownArguments, refuseUnknownMembers } from './index.js';

const refusal = (check: () => void): string => {
  try {
    check();
    return 'it was not refused';
  } catch (error) {
    const { status, code, message } = error as AdminError;
    return `${status} ${code}: ${message}`;
  }
};

describe('arguments of admin routes', () => {
  const cases: readonly (readonly [unknown, readonly string[], string])[] = [
    [{ limt: '3' }, ['limit', 'cursor'], 'there is no argument "limt"; did you mean "limit"?'],
    [{ limit: '3', other: 1 }, ['limit', 'cursor'], 'there is no argument "other"; there are limit, cursor'],
    [{ other: 1 }, ['limit'], 'there is no argument "other"; there is limit'],
    [{ other: 1 }, [], 'there is no argument "other"; this call takes none'],
    [{ ['x'.repeat(300)]: 1 }, [], `there is no argument "${'x'.repeat(250)}"; this call takes none`],
  ];
  for (const [given, known, text] of cases) {
    it(`are refused: ${text.slice(0, 60)}`, () => {
      expect(refusal(() => refuseUnknownArguments(given, known))).to.equal(`400 invalid_argument: ${text}`);
    });
  }

  it('pass when they are known, and what has none is for the route to judge', () => {
    for (const given of [{ limit: 1 }, {}, undefined, null, 'text', ['limit'], 3]) refuseUnknownArguments(given, ['limit']);
  });

  it('stand in the body where something is changed', () => {
    refuseUnknownMembers({ query: {}, body: { step: 'a' } }, ['step']);
    expect(refusal(() => refuseUnknownMembers({ query: {}, body: { stp: 'a' } }, ['step'])))
      .to.equal('400 invalid_argument: there is no argument "stp"; did you mean "step"?');
    expect(refusal(() => refuseUnknownMembers({ query: { step: 'a' }, body: {} }, ['step'])))
      .to.equal('400 invalid_argument: "step" stands in the query; this route takes its arguments from the body');
  });
});
