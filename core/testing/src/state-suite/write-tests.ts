import { expect } from 'chai';
import type { StateTests } from './state-under-test.js';

/** Writes at the same time. */
export function writeTests({ suite, withState, declared }: StateTests): void {
  suite.test('counts every one of 50 updates at the same time', () => withState(async (state) => {
    const results = await Promise.all(Array.from({ length: 50 }, () => state.add('g', 'n', 1)));
    expect(await state.adapter.get('g', 'n')).to.deep.equal({ value: 50, revision: 50 });
    const revisions = results.map(({ after }) => after?.revision ?? 0).sort((a, b) => a - b);
    expect(revisions).to.deep.equal(Array.from({ length: 50 }, (_, index) => index + 1));
  }));

  suite.test('writes one key in the order of the calls', () => withState(async (state) => {
    const seen: unknown[] = [];
    await Promise.all(Array.from({ length: 20 }, (_, index) => state.write('g', 'k', (current) => {
      seen[index] = current?.value;
      return { action: 'set', value: index };
    })));
    expect(seen).to.deep.equal([undefined, ...Array.from({ length: 19 }, (_, index) => index)]);
    expect(await state.value('g', 'k')).to.equal(19);
  }));

  suite.test('changes nothing when the decision throws, and passes the error on', () => withState(async (state) => {
    await state.set('g', 'k', 1);
    const fault = new Error('no');
    const failing = state.write('g', 'k', () => {
      throw fault;
    }, true).then(() => undefined, (error: unknown) => error);
    const following = state.add('g', 'k', 1);
    expect(await failing).to.equal(fault);
    expect((await following).after).to.deep.equal({ value: 2, revision: 2 });
    expect(await state.adapter.pendingChanges(10)).to.deep.equal([]);
  }));

  if (!declared.compareAndSet) return;
  suite.test('lets one of several compare-and-sets win', () => withState(async (state) => {
    await state.set('g', 'k', 'start');
    const won = await Promise.all(Array.from({ length: 10 }, async (_, index) => {
      const { after } = await state.write('g', 'k', (current) => (
        current?.revision === 1 ? { action: 'set', value: index } : { action: 'keep' }));
      return after?.value === index;
    }));
    expect(won.filter(Boolean)).to.have.length(1);
    expect(await state.adapter.get('g', 'k')).to.deep.equal({ value: won.indexOf(true), revision: 2 });
  }));
}

/** What triggers live on. */
export function changeTests({ suite, withState }: StateTests): void {
  suite.test('keeps recorded changes, oldest first, until they are settled', () => withState(async (state) => {
    await state.set('g', 'silent', 0);
    await state.write('g', 'a', () => ({ action: 'set', value: 1 }), true);
    await state.write('g', 'a', () => ({ action: 'set', value: { n: 2 } }), true);
    await state.write('g', 'b', () => ({ action: 'keep' }), true);
    await state.write('g', 'a', () => ({ action: 'delete' }), true);
    const changes = await state.adapter.pendingChanges(10);
    expect(changes.map(({ id: _id, revision: _revision, ...change }) => change)).to.deep.equal([
      { group: 'g', key: 'a', oldValue: undefined, newValue: 1 }, { group: 'g', key: 'a', oldValue: 1, newValue: { n: 2 } },
      { group: 'g', key: 'a', oldValue: { n: 2 }, newValue: undefined },
    ]);
    expect(changes.slice(0, 2).map(({ revision }) => revision)).to.deep.equal([1, 2]);
    expect(new Set(changes.map(({ id }) => id)).size).to.equal(3);
    expect(await state.adapter.pendingChanges(2)).to.deep.equal(changes.slice(0, 2));
    await state.adapter.settleChanges(changes.slice(0, 2).map(({ id }) => id));
    expect(await state.adapter.pendingChanges(10)).to.deep.equal(changes.slice(2));
    await state.adapter.settleChanges([...changes.map(({ id }) => id), 'unknown']);
    expect(await state.adapter.pendingChanges(10)).to.deep.equal([]);
  }));

  suite.test('gives no change the id of another, also after a restart', () => withState(async (state) => {
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
