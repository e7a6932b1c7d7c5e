import { expect } from 'chai';
import { aboveZero, campaignOptions, oneOf } from './campaign.js';

describe('the options of a campaign', () => {
  const DEFAULTS = { rate: 100, only: '', own: false, seed: undefined } as const;

  it('have the types of their defaults, and their values where nothing is given', () => {
    expect(campaignOptions(DEFAULTS, [])).to.deep.equal(DEFAULTS);
    expect(campaignOptions(DEFAULTS, ['--rate', '2.5', '--only', 'a,b', '--own', '--seed', '7'])).to.deep.equal({ rate: 2.5, only: 'a,b', own: true, seed: '7' });
  });

  it('are refused by name', () => {
    for (const text of ['x', '', '-1', 'Infinity']) {
      expect(() => campaignOptions(DEFAULTS, [`--rate=${text}`])).to.throw(`--rate must be a number from 0 on; got ${text}`);
    }
    expect(() => campaignOptions(DEFAULTS, ['--fast'])).to.throw(/--fast/);
    expect(() => aboveZero({ rate: 0 })).to.throw('--rate must be a number above 0; got 0');
    expect(() => oneOf('only', 'c', ['a', 'b'])).to.throw('--only must be a or b; got c');
    expect([oneOf('only', undefined, ['a', 'b']), oneOf('only', 'b', ['a', 'b'])]).to.deep.equal([undefined, 'b']);
  });
});
