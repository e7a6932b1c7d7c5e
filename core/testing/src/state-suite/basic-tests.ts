import { expect } from 'chai';
import type { Json } from '@treadle/api';
import { NAMES, type StateTests } from './state-under-test.js';

/** Values, names and revisions. */
export function basicTests({ suite, withFresh }: StateTests): void {
  suite.test('gives back what was written and counts its revisions from 1', () => withFresh(async (state) => {
    const first = await state.set('g', 'k', { a: 1 });
    expect(first).to.deep.equal({ before: undefined, after: { value: { a: 1 }, revision: 1 } });
    const second = await state.set('g', 'k', [2]);
    expect(second).to.deep.equal({ before: { value: { a: 1 }, revision: 1 }, after: { value: [2], revision: 2 } });
    expect(await state.adapter.get('g', 'k')).to.deep.equal({ value: [2], revision: 2 });
  }));

  suite.test('knows null from missing', () => withFresh(async (state) => {
    await state.set('g', 'null', null);
    expect(await state.adapter.get('g', 'null')).to.deep.equal({ value: null, revision: 1 });
    expect(await state.adapter.get('g', 'missing')).to.equal(undefined);
    expect(await state.adapter.get('missing', 'null')).to.equal(undefined);
  }));

  suite.test('goes on counting upwards when a deleted key is written again', () => withFresh(async (state) => {
    await state.set('g', 'k', 1);
    await state.set('g', 'k', 2);
    const deleted = await state.delete('g', 'k');
    expect(deleted).to.deep.equal({ before: { value: 2, revision: 2 }, after: undefined });
    expect(await state.adapter.get('g', 'k')).to.equal(undefined);
    const again = await state.set('g', 'k', 3);
    expect(again.before).to.equal(undefined);
    expect(again.after?.revision).to.be.greaterThan(2);
    expect((await state.set('h', 'other', 0)).after?.revision).to.equal(1);
  }));

  suite.test('writes nothing for "keep" and for deleting what is missing', () => withFresh(async (state) => {
    await state.set('g', 'k', 1);
    const entry = { value: 1, revision: 1 };
    expect(await state.write('g', 'k', () => ({ action: 'keep' }))).to.deep.equal({ before: entry, after: entry });
    expect(await state.write('g', 'x', () => ({ action: 'keep' }))).to.deep.equal({ before: undefined, after: undefined });
    expect(await state.delete('g', 'x')).to.deep.equal({ before: undefined, after: undefined });
    expect(await state.list('g')).to.deep.equal([{ key: 'k', ...entry }]);
  }));
}

/** Names of every kind. */
export function nameTests({ suite, withFresh }: StateTests): void {
  suite.test('takes any text as group and as key and mixes none of them up', () => withFresh(async (state) => {
    for (const group of NAMES) for (const key of NAMES) await state.set(group, key, `${group}|${key}`);
    for (const group of NAMES) {
      for (const key of NAMES) expect(await state.value(group, key)).to.equal(`${group}|${key}`);
      expect(await state.list(group)).to.have.length(NAMES.length);
    }
    expect(Object.hasOwn({}, 'a_b'), 'Object.prototype is untouched').to.equal(false);
    expect(({} as Record<string, unknown>)['a_b']).to.equal(undefined);
  }));

  suite.test('takes names of 400 characters and of 512 bytes', () => withFresh(async (state) => {
    const names = ['k'.repeat(400), `${'k'.repeat(399)}l`, '😀'.repeat(128), `${'😀'.repeat(127)}éé`];
    for (const [index, name] of names.entries()) await state.set(name, name, index);
    for (const [index, name] of names.entries()) expect(await state.value(name, name)).to.equal(index);
  }));
}

/** Values of every kind. */
export function valueTests({ suite, withFresh }: StateTests): void {
  suite.test('keeps every JSON value as it is', () => withFresh(async (state) => {
    const values: readonly Json[] = [
      null, true, false, 0, -1.5, 1e300, 5e-324, 9_007_199_254_740_991, '', 'text', ':base64:AAAA', ':text', 'é😀\u0000\u2028', [], {}, [[], [{}]], { '': { a: [null] } },
      JSON.parse('{"__proto__": {"x": 1}, "constructor": 2, "toString": null}') as Json, { expires: 1, value: 2 },
    ];
    for (const [index, value] of values.entries()) await state.set('g', `${index}`, value);
    for (const [index, value] of values.entries()) {
      expect(JSON.stringify(await state.value('g', `${index}`))).to.equal(JSON.stringify(value));
    }
  }));

  suite.test('stores a value as large as it declares, up to 1 MiB', () => withFresh(async (state) => {
    const bytes = Math.min(state.capabilities.maxValueBytes, 1_048_576);
    const text = 'x'.repeat(bytes - 2);
    await state.set('g', 'large', text);
    expect(await state.value('g', 'large') === text).to.equal(true);
    expect((await state.list('g')).map(({ value }) => (value as string).length)).to.deep.equal([text.length]);
  }));

  suite.test('gives fresh objects: changing them changes nothing that is stored', () => withFresh(async (state) => {
    const value = { list: [1] };
    await state.set('g', 'k', value);
    value.list.push(2);
    const read = await state.value('g', 'k') as typeof value;
    expect(read).to.deep.equal({ list: [1] });
    read.list.push(3);
    await state.write('g', 'k', (current) => {
      (current?.value as typeof value).list.push(4);
      return { action: 'keep' };
    });
    ((await state.list('g'))[0]?.value as typeof value).list.push(5);
    expect(await state.value('g', 'k')).to.deep.equal({ list: [1] });
  }));
}
