import type { StateItem } from '@treadle/api';
import { expect } from 'chai';
import { boundedPage, CHUNK, MAX_PAGE_LENGTH, type ReadItems } from './bounded-page.js';

/** Lists items whose values have these lengths; the cursor is an index. */
function listing(lengths: readonly number[]): { read: ReadItems; limits: number[] } {
  const limits: number[] = [];
  const all: StateItem[] = lengths.map((length, index) => ({ key: `${index}`, value: 'x'.repeat(length), revision: 1 }));
  return {
    limits,
    read: async ({ limit, cursor = '0' }) => {
      limits.push(limit);
      const end = Number(cursor) + limit;
      const items = all.slice(Number(cursor), end);
      return end < all.length ? { items, cursor: `${end}` } : { items };
    },
  };
}

describe('pages', () => {
  it('asks once for what fits, and never for more than it was asked', async () => {
    const { read, limits } = listing([1, 1, 1]);
    expect((await boundedPage(read, { limit: 2 })).cursor).to.equal('2');
    expect(await boundedPage(read, { limit: 2, cursor: '2' })).to.have.nested.property('items.length', 1);
    expect(limits).to.deep.equal([2, 2]);
  });

  it('puts long pages together from chunks', async () => {
    const { read, limits } = listing(new Array<number>(1000).fill(1));
    const page = await boundedPage(read, { limit: 250 });
    expect([page.items.length, page.cursor, limits]).to.deep.equal([250, '250', [CHUNK, CHUNK, 50]]);
    expect(await boundedPage(read, { limit: 1000 })).not.to.have.property('cursor');
  });

  it('ends early when the values are large and loses none of them', async () => {
    const lengths = Array.from({ length: 301 }, (_, index) => [10, 999_000, 500_000][index % 3] ?? 0);
    const { read } = listing(lengths);
    const keys: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await boundedPage(read, { limit: 1000, ...cursor === undefined ? {} : { cursor } });
      expect(page.items).not.to.deep.equal([]);
      expect(JSON.stringify(page.items).length).to.be.at.most(MAX_PAGE_LENGTH + page.items.length + 2);
      keys.push(...page.items.map(({ key }) => key));
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(keys).to.deep.equal(lengths.map((_, index) => `${index}`));
  });

  it('ends at the border of two chunks when the next item does not fit', async () => {
    const { read } = listing([...new Array<number>(CHUNK).fill(39_000), 999_000, 1]);
    const page = await boundedPage(read, { limit: 1000 });
    expect([page.items.length, page.cursor]).to.deep.equal([CHUNK, `${CHUNK}`]);
  });

  it('gives one item even if it alone is too large', async () => {
    const { read } = listing([MAX_PAGE_LENGTH + 1, 1]);
    expect((await boundedPage(read, { limit: 10 })).items).to.have.length(1);
  });
});
