import { expect } from 'chai';
import { offerStrayError, takeStrayErrors } from './stray-errors.js';

describe('errors that nobody caught', () => {
  it('go to those whose they are, and else to the first who takes any', () => {
    const [first, second]: [unknown[], unknown[]] = [[], []];
    const releases = [
      takeStrayErrors((error, _origin, claim) => claim === 'any' && first.push(error) > 0),
      takeStrayErrors((error, _origin, claim) => (claim === 'own' ? error === 'second' : true) && second.push(error) > 0),
    ];
    try {
      expect(offerStrayError('second', 'unhandledRejection')).to.equal(true);
      expect(offerStrayError('anybody', 'uncaughtException')).to.equal(true);
      expect([first, second]).to.deep.equal([['anybody'], ['second']]);
    } finally {
      for (const release of releases) release();
    }
    expect(offerStrayError('nobody', 'uncaughtException')).to.equal(false);
  });
});
