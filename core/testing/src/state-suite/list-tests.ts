import { expect } from 'chai';
import fc from 'fast-check';
import { byBytes, NAMES, type StateTests } from './state-under-test.js';

/** Listing. */
export function listTests({ suite, withFresh }: StateTests): void {
  suite.test('lists keys in the order of their bytes, by prefix and page by page', () => withFresh(async (state) => {
    for (const [index, key] of NAMES.entries()) await state.set('g', key, index);
    for (const group of ['g:h', 'g\u0000', 'h', 'f']) await state.set(group, 'stranger', 0);
    const sorted = [...NAMES].sort(byBytes);
    for (const limit of [1, 2, 7, NAMES.length, 1000]) {
      expect((await state.list('g', { limit })).map(({ key }) => key)).to.deep.equal(sorted);
    }
    for (const prefix of ['a', 'g', 'a_', '%', '_', '__', '😀', 'zz']) {
      expect((await state.list('g', { prefix, limit: 2 })).map(({ key }) => key)).to.deep.equal(sorted.filter((key) => key.startsWith(prefix)));
    }
    expect(await state.list('g', { prefix: 'axb' })).to.deep.equal([{ key: 'axb', value: 1, revision: 1 }]);
  }));

  suite.test('gives no cursor with the last page', () => withFresh(async (state) => {
    for (const key of ['a', 'b']) await state.set('g', key, 1);
    expect(await state.adapter.list('g', { limit: 2 })).not.to.have.property('cursor');
    expect(await state.adapter.list('g', { limit: 1 })).to.have.property('cursor').that.is.a('string');
    expect(await state.adapter.list('none', { limit: 1 })).to.deep.equal({ items: [] });
    expect(await state.adapter.listGroups({ limit: 1 })).to.deep.equal({ items: ['g'] });
  }));

  suite.test('loses nothing when keys are deleted while they are listed', () => withFresh(async (state) => {
    const keys = Array.from({ length: 25 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => state.set('g', key, 1)));
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await state.adapter.list('g', { limit: 4, ...cursor === undefined ? {} : { cursor } });
      for (const { key } of page.items) {
        seen.push(key);
        await state.delete('g', key);
      }
      cursor = page.cursor;
    }
    expect(seen).to.deep.equal([...keys].sort(byBytes));
    expect(await state.list('g')).to.deep.equal([]);
  }));
}

/** Groups and clearing. */
export function groupTests({ suite, withFresh }: StateTests): void {
  suite.test('lists the groups that hold a key', () => withFresh(async (state) => {
    for (const group of NAMES) await state.set(group, 'k', 1);
    await state.delete('axb', 'k');
    const sorted = NAMES.filter((group) => group !== 'axb').sort(byBytes);
    for (const limit of [1, 3, 100]) expect(await state.groups({ limit })).to.deep.equal(sorted);
    expect(await state.groups({ prefix: 'a', limit: 1 })).to.deep.equal(sorted.filter((group) => group.startsWith('a')));
  }));

  suite.test('clears a group and no other', () => withFresh(async (state) => {
    for (const group of ['a_b', 'axb', 'a%', 'g', 'g:h']) for (const key of ['1', '2', '3']) await state.set(group, key, 1);
    await state.delete('a_b', '3');
    expect(await state.adapter.clear('a_b')).to.equal(2);
    expect(await state.adapter.clear('g')).to.equal(3);
    expect(await state.adapter.clear('a%')).to.equal(3);
    expect(await state.adapter.clear('g')).to.equal(0);
    expect(await state.groups()).to.deep.equal(['axb', 'g:h']);
    expect(await state.list('axb')).to.have.length(3);
    expect((await state.set('g', '1', 2)).after?.revision).to.be.greaterThan(1);
  }));
}

/** Any keys, any prefix, any size of a page. */
export function listProperty({ suite, withFresh }: StateTests, run: { seed: number; runs: number }): void {
  suite.test(`pages through any keys by any prefix (seed ${run.seed})`, () => withFresh(async (state) => {
    let group = 0;
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '_', '%', ':', '.', '/', 'é', '\uffff', '😀'), minLength: 1, maxLength: 4 });
    await fc.assert(fc.asyncProperty(fc.uniqueArray(text, { maxLength: 12 }), fc.option(text, { nil: '' }), fc.integer({ min: 1, max: 5 }),
      async (keys, prefix, limit) => {
        group += 1;
        for (const key of keys) await state.set(`${group}`, key, key);
        const found = (await state.list(`${group}`, { prefix, limit })).map(({ key }) => key);
        expect(found).to.deep.equal(keys.filter((key) => key.startsWith(prefix)).sort(byBytes));
      }), { seed: run.seed, numRuns: run.runs });
  }));
}
