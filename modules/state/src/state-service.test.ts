import { expect } from 'chai';
import type { StateAdapter, UpdateOperation } from '@treadle/api';
import { StateService } from './state-service.js';
import { refusal, serviceOver } from './state.fixture.js';

describe('StateService', () => {
  it('gives null for what is missing and the value otherwise', async () => {
    const { state } = serviceOver();
    expect([await state.get('g', 'k'), await state.getEntry('g', 'k')]).to.deep.equal([null, null]);
    expect(await state.set('g', 'k', { a: 1 })).to.deep.equal({ a: 1 });
    expect([await state.get('g', 'k'), await state.getEntry('g', 'k')]).to.deep.equal([{ a: 1 }, { value: { a: 1 }, revision: 1 }]);
  });

  const names: readonly (readonly [unknown, string])[] = [
    ['', 'group must not be empty'], [7, 'group must be text, got number'], [null, 'group must be text, got null'],
    ['x'.repeat(513), 'group has 513 bytes; at most 512 are allowed'], ['é'.repeat(257), 'group has 514 bytes; at most 512 are allowed'],
    ['a\ud800', 'group holds half of a surrogate pair, which is no text'],
  ];
  for (const [name, text] of names) {
    it(`refuses the group ${JSON.stringify(name)?.slice(0, 20)}`, async () => {
      const { state } = serviceOver();
      expect(await refusal(state.get(name as string, 'k'))).to.equal(`StateInvalidArgument: ${text}`);
      expect(await refusal(state.set('g', name as string, 1))).to.equal(`StateInvalidArgument: ${text.replace('group', 'key')}`);
      expect(await refusal(state.clear(name as string))).to.equal(`StateInvalidArgument: ${text}`);
    });
  }

  it('takes names of 512 bytes, emoji and __proto__', async () => {
    const { state } = serviceOver();
    for (const name of ['x'.repeat(512), '😀'.repeat(128), '__proto__', ' ', '\u0000']) expect(await state.set(name, name, 1)).to.equal(1);
  });

  it('checks limits, prefixes and cursors and passes them on', async () => {
    const seen: unknown[] = [];
    const adapter = { list: (_group: string, options: unknown) => Promise.resolve({ items: [options] }), listGroups: (options: unknown) => Promise.resolve({ items: [options] }) };
    const { clock } = serviceOver();
    const state = new StateService(adapter as unknown as StateAdapter);
    state.open(clock);
    seen.push((await state.list('g')).items[0], (await state.list('g', { prefix: 'p', limit: 50, cursor: 'c' })).items[0], (await state.listGroups({ prefix: '' })).items[0]);
    expect(seen).to.deep.equal([{ limit: 100 }, { prefix: 'p', limit: 50, cursor: 'c' }, { limit: 100 }]);
    for (const limit of [0, 1001, 1.5, Number.NaN]) {
      expect(await refusal(state.list('g', { limit }))).to.equal(`StateInvalidArgument: limit must be a whole number from 1 to 1000, got ${limit}`);
    }
    expect(await refusal(state.listGroups({ cursor: '' }))).to.equal('StateInvalidArgument: cursor must be one that a former page gave, got string');
    expect(await refusal(state.list('g', { prefix: 'x'.repeat(513) }))).to.equal('StateInvalidArgument: prefix has 513 bytes; at most 512 are allowed');
  });

  it('sets the end of the time to live, and keeps it in updates', async () => {
    const { state, adapter, clock } = serviceOver();
    await state.set('g', 'k', 1, { ttlMs: 500 });
    await state.update('g', 'k', [{ type: 'increment' }]);
    await state.compareAndSet('g', 'k', { revision: 2, value: 5 });
    await state.set('g', 'k', 1);
    expect(adapter.decisions).to.deep.equal([
      { action: 'set', value: 1, text: '1', expiresAt: clock.now() + 500 }, { action: 'set', value: 2, text: '2', keepExpiry: true },
      { action: 'set', value: 5, text: '5', keepExpiry: true }, { action: 'set', value: 1, text: '1', expiresAt: undefined },
    ]);
    expect(adapter.writes.map(({ recordChange }) => recordChange)).to.deep.equal([false, false, false, false]);
    for (const ttlMs of [0, -1, 1.5, Infinity]) {
      expect(await refusal(state.set('g', 'k', 1, { ttlMs }))).to.contain(`StateInvalidArgument: ttlMs must be a whole number of milliseconds from 1 to 3153600000000, got ${ttlMs}`);
    }
  });

  it('asks the store for nothing when an argument, a value or an operation is wrong', async () => {
    const { state, adapter } = serviceOver();
    const operations = [{ type: 'set', value: 1 }, { type: 'no' }] as unknown as UpdateOperation[];
    expect(await refusal(state.update('g', 'k', operations))).to.match(/^InvalidUpdate: operation 1: /);
    expect(await refusal(state.set('g', 'k', undefined as never))).to.equal('InvalidValue: the value is not JSON: undefined');
    expect(await refusal(state.compareAndSet('g', 'k', { revision: -1, value: 1 }))).to.equal('StateInvalidArgument: revision must be a whole number from 0, got -1');
    expect(adapter.writes).to.deep.equal([]);
  });

  it('writes all operations of an update or none', async () => {
    const { state, adapter } = serviceOver({ n: 1, text: 'x' });
    const operations: UpdateOperation[] = [{ type: 'increment', path: 'n' }, { type: 'increment', path: 'text' }];
    expect(await refusal(state.update('g', 'k', operations))).to.equal('InvalidUpdate: operation 1: "text" is a string; increment and decrement need a number there');
    expect(adapter.entry).to.deep.equal({ value: { n: 1, text: 'x' }, revision: 1 });
  });

  it('deletes the key when an update removes the whole value', async () => {
    const { state, adapter } = serviceOver(5);
    expect(await state.update('g', 'k', [{ type: 'remove' }])).to.deep.equal({ value: null, revision: 1 });
    expect(adapter.entry).to.equal(undefined);
    expect(await state.update('g', 'k', [{ type: 'remove' }])).to.deep.equal({ value: null, revision: 0 });
    expect(await state.update('g', 'k', [])).to.deep.equal({ value: null, revision: 0 });
    expect(adapter.decisions.map(({ action }) => action)).to.deep.equal(['delete', 'keep', 'keep']);
  });

  it('sets only the revision that was seen', async () => {
    const { state } = serviceOver('old');
    expect(await refusal(state.compareAndSet('g', 'k', { revision: 7, value: 'new' }))).to.equal('StateConflict: key "k" of group "g" has revision 1, not revision 7');
    expect(await state.compareAndSet('g', 'k', { revision: 1, value: 'new' })).to.deep.equal({ value: 'new', revision: 2 });
    await state.delete('g', 'k');
    expect(await refusal(state.compareAndSet('g', 'k', { revision: 2, value: 'x' }))).to.equal('StateConflict: key "k" of group "g" does not exist, not revision 2');
    expect((await state.compareAndSet('g', 'k', { revision: 0, value: 'x' })).value).to.equal('x');
    expect(await refusal(state.compareAndSet('g', 'k', { revision: 0, value: 'y' }))).to.equal('StateConflict: key "k" of group "g" has revision 1, not revision 0');
  });

  it('says of a failing store that the outcome is not known, with the cause', async () => {
    const { state, adapter } = serviceOver();
    adapter.failure = new Error('SQLITE_FULL: database or disk is full');
    expect(await refusal(state.get('g', 'k')))
      .to.equal('StateUnavailable: state.get failed, and whether it took place is not known: SQLITE_FULL: database or disk is full');
    expect(await state.get('g', 'k').catch((error: Error) => error.cause)).to.equal(adapter.failure);
  });

  it('refuses everything before it has started', async () => {
    const state = new StateService(serviceOver().adapter as unknown as StateAdapter);
    expect(await refusal(state.get('g', 'k'))).to.equal('StateUnavailable: state.get was refused: the state module has not started');
  });

  it('tells its observer of every operation that has ended', async () => {
    const { state } = serviceOver(1);
    const seen: unknown[] = [];
    state.observer = (verb, { ms, error }) => seen.push([verb, ms, error?.code]);
    await state.get('g', 'k');
    await refusal(state.compareAndSet('g', 'k', { revision: 9, value: 1 }));
    expect(seen).to.deep.equal([['get', 0, undefined], ['compareAndSet', 0, 'StateConflict']]);
  });
});
