import { expect } from 'chai';
import { transferTests } from '../suite/transfer-tests.js';
import { pairs, type StreamTests } from './stream-under-test.js';

const NAMES = ['__proto__', 'a b', 'a\u0000b', 'é😀', '%', '_', 'A', 'a'];

/** What reaches another store when streams are copied. */
export function copyTests(tests: StreamTests): void {
  transferTests(tests, {
    fill: async (streams) => {
      for (const name of NAMES) for (const id of [...NAMES].reverse()) await streams.set(id, { id, name }, { stream: name, groupId: name });
      for (const id of ['z', 'a', 'm']) await streams.set(id, id);
      await streams.add('n', 1);
      await streams.add('n', 2);
      for (const value of [1, 2]) await streams.set('deleted', value);
      await streams.delete('deleted');
      await streams.write('told', () => ({ action: 'set', value: { a: 1 } }), { change: () => ({ origin: 'here' }) });
    },
    check: async (streams) => {
      for (const name of NAMES) {
        expect(pairs(await streams.items({ stream: name, groupId: name })), JSON.stringify(name)).to.deep.equal([...NAMES].reverse().map((id) => [id, { id, name }]));
      }
      expect(pairs(await streams.items())).to.deep.equal([['z', 'z'], ['a', 'a'], ['m', 'm'], ['n', 3], ['told', { a: 1 }]]);
      expect((await streams.add('n', 1)).after).to.deep.equal({ value: 4, revision: 3 });
      expect((await streams.set('deleted', 3)).after?.revision, 'goes on counting').to.be.greaterThan(3);
      expect(pairs(await streams.items()).at(-1), 'the newest item').to.deep.equal(['deleted', 3]);
      const changes = await streams.adapter.pendingChanges(10);
      expect(changes.map(({ itemId, type, data, origin }) => ({ itemId, type, data, origin }))).to.deep.equal([{ itemId: 'told', type: 'create', data: { a: 1 }, origin: 'here' }]);
      await streams.adapter.settleChanges(changes.map(({ id }) => id));
      expect(await streams.adapter.pendingChanges(10)).to.deep.equal([]);
    },
  });
}
