import { expect } from 'chai';
import { parseQuery } from './query.js';

describe('reading of a query', () => {
  for (const count of [1, 10_000]) {
    it(`takes ${count} times "+" for a space, "%2B" for itself, and bytes beyond ASCII as they are`, () => {
      expect(parseQuery(`${'a+'.repeat(count)}%2B\u00e9=${'+'.repeat(count)}&b=1`)).to.deep.equal({ [`${'a '.repeat(count)}+\u00e9`]: ' '.repeat(count), b: '1' });
    });
  }
});
