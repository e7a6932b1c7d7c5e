import { expect } from 'chai';
import { transferTests } from '../suite/transfer-tests.js';
import { NAMES, type StateTests } from './state-under-test.js';

/** What reaches another store when state is copied. */
export function copyTests(tests: StateTests): void {
  transferTests(tests, {
    fill: async (state) => {
      for (const name of NAMES) await state.set(name, name, { name, list: [1, null, '\u0000'] });
      for (const by of [1, 2, 3]) await state.add('counters', 'n', by);
      await state.set('expiring', 'k', 1, 60_000);
      await state.set('g', 'deleted', 1);
      await state.delete('g', 'deleted');
      await state.always('g', 'recorded', { action: 'set', value: { a: 1 } }, true);
      await state.always('g', 'recorded', { action: 'delete' }, true);
    },
    check: async (state) => {
      for (const name of NAMES) expect(await state.value(name, name), JSON.stringify(name)).to.deep.equal({ name, list: [1, null, '\u0000'] });
      expect(await state.adapter.get('counters', 'n')).to.deep.equal({ value: 6, revision: 3 });
      expect((await state.set('g', 'deleted', 2)).after?.revision, 'goes on counting').to.equal(3);
      const changes = (await state.adapter.pendingChanges(10)).map(({ key, oldValue, newValue, oldText, newText, revision }) => (
        { key, old: oldText ?? JSON.stringify(oldValue), new: newText ?? JSON.stringify(newValue), revision }));
      expect(changes).to.deep.equal([
        { key: 'recorded', old: undefined, new: '{"a":1}', revision: 1 }, { key: 'recorded', old: '{"a":1}', new: undefined, revision: 2 },
      ]);
      await state.always('g', 'later', { action: 'set', value: 1 }, true);
      const ids = (await state.adapter.pendingChanges(10)).map(({ id }) => id);
      expect(new Set(ids).size).to.equal(3);
      await state.adapter.settleChanges(ids);
      expect(await state.adapter.pendingChanges(10)).to.deep.equal([]);
      expect(await state.value('expiring', 'k')).to.equal(1);
      await state.clock.advance(60_000);
      expect(await state.value('expiring', 'k')).to.equal(undefined);
    },
  });
}
