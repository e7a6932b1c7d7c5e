import { expect } from 'chai';
import type { StateDecision } from '@treadle/api';
import type { StateTests } from './state-under-test.js';

/** Opaque to the store. */
const ORIGIN = JSON.stringify({ text: 'é😀"\'\u0000\n' });

/** What triggers live on. */
export function changeTests({ suite, withFresh }: StateTests): void {
  suite.test('keeps recorded changes, oldest first, until they are settled', () => withFresh(async (state) => {
    await state.set('g', 'silent', 0);
    await state.write('g', 'a', () => ({ action: 'set', value: 1 }), true);
    await state.write('g', 'a', () => ({ action: 'set', value: { n: 2 } }), true);
    await state.write('g', 'b', () => ({ action: 'keep' }), true);
    await state.write('g', 'a', () => ({ action: 'delete' }), true);
    const changes = await state.adapter.pendingChanges(10);
    expect(changes.map(({ id: _id, revision: _revision, origin: _origin, oldText: _old, newText: _new, bytes: _bytes, ...change }) => change)).to.deep.equal([
      { group: 'g', key: 'a', oldValue: undefined, newValue: 1 }, { group: 'g', key: 'a', oldValue: 1, newValue: { n: 2 } },
      { group: 'g', key: 'a', oldValue: { n: 2 }, newValue: undefined },
    ]);
    for (const { oldText, newText, ...change } of changes) {
      if (oldText !== undefined) expect(JSON.parse(oldText)).to.deep.equal(change.oldValue);
      if (newText !== undefined) expect(JSON.parse(newText)).to.deep.equal(change.newValue);
    }
    expect(changes.slice(0, 2).map(({ revision }) => revision)).to.deep.equal([1, 2]);
    expect(new Set(changes.map(({ id }) => id)).size).to.equal(3);
    expect(await state.adapter.pendingChanges(2)).to.deep.equal(changes.slice(0, 2));
    expect(await state.adapter.pendingChanges(1, changes[0]?.id)).to.deep.equal(changes.slice(1, 2));
    expect(await state.adapter.pendingChanges(9, changes[2]?.id)).to.deep.equal([]);
    expect(await state.adapter.pendingChanges(1, 'unknown')).to.deep.equal(changes.slice(0, 1));
    await state.adapter.settleChanges(changes.slice(0, 2).map(({ id }) => id));
    expect(await state.adapter.pendingChanges(10)).to.deep.equal(changes.slice(2));
    await state.adapter.settleChanges([...changes.map(({ id }) => id), 'unknown']);
    expect(await state.adapter.pendingChanges(10)).to.deep.equal([]);
  }));

  suite.test('gives no change the id of another, also after a restart', () => withFresh(async (state) => {
    const ids = new Set<string>();
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 5; count++) await state.write('g', `${count}`, () => ({ action: 'set', value: round }), true);
      const changes = await state.adapter.pendingChanges(100);
      for (const { id } of changes) ids.add(id);
      await state.adapter.settleChanges(changes.map(({ id }) => id));
      await state.restart();
    }
    expect(ids.size).to.equal(15);
  }));
}

/** What is recorded beside the values, and of a whole group. */
export function originTests({ suite, withFresh, declared }: StateTests): void {
  suite.test('keeps with a change the origin that its write gave, also over a restart', () => withFresh(async (state) => {
    const write = { group: 'g', key: 'k', next: (): StateDecision => ({ action: 'set', value: 1 }), recordChange: true };
    const origins = ['{"hops":3}', ORIGIN, undefined];
    for (const origin of origins) await state.adapter.write({ ...write, origin });
    await state.adapter.write({ ...write, recordChange: false, origin: 'silent' });
    const kept = async (): Promise<unknown> => (await state.adapter.pendingChanges(10)).map(({ origin }) => origin);
    expect(await kept()).to.deep.equal(origins);
    if (!declared.durable) return;
    await state.restart();
    expect(await kept()).to.deep.equal(origins);
  }));

  suite.test('records the clearing of the keys that are wanted, and of no other', () => withFresh(async (state) => {
    for (const key of ['a', 'b', 'c', 'd']) await state.set('g', key, key);
    await state.set('h', 'a', 'other');
    await state.delete('g', 'd');
    const wants = (key: string): boolean => key !== 'b';
    expect(await state.adapter.clear('g', { wants, origin: ORIGIN })).to.equal(3);
    const changes = await state.adapter.pendingChanges(10);
    expect(changes.map(({ group, key, oldValue, newValue, origin }) => ({ group, key, oldValue, newValue, origin }))).to.deep.equal(
      ['a', 'c'].map((key) => ({ group: 'g', key, oldValue: key, newValue: undefined, origin: ORIGIN })),
    );
    expect([await state.list('g'), (await state.list('h')).length]).to.deep.equal([[], 1]);
  }));
}
