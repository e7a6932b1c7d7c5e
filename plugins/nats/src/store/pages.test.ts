import { expect } from 'chai';
import { encodeCursor, namesOfPage } from './pages.js';

describe('names of a page', () => {
  const NAMES = ['b', 'a', 'B', 'é', 'z', 'aa', ''];
  const inOrder = (names: readonly string[]): string[] => [...names].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

  for (const [what, names] of [['of low characters', NAMES], ['of characters beyond U+FFFF and below', [...NAMES, '\u{1f600}', '\uffee', 'a\u{10ffff}']]] as const) {
    it(`are in the order of their bytes, behind the cursor (${what})`, () => {
      const all = inOrder(names);
      expect(namesOfPage(names, { limit: 9 }, 'X')).to.deep.equal(all);
      for (const [index, name] of all.entries()) expect(namesOfPage(names, { limit: 9, cursor: encodeCursor(name) }, 'X')).to.deep.equal(all.slice(index + 1));
      expect(namesOfPage(names, { limit: 9, prefix: 'a', cursor: encodeCursor('a') }, 'X')).to.deep.equal(all.filter((name) => name.startsWith('a') && name !== 'a'));
    });
  }
});
