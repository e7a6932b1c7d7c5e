import { expect } from 'chai';
import { errorOf } from '../error-of.js';
import { callsUnderWay } from '../suite/calls-under-way.js';
import type { StateTests } from './state-under-test.js';

/** Writes at the same time. */
export function writeTests({ suite, withFresh, declared }: StateTests): void {
  suite.test('counts every one of 50 updates at the same time', () => withFresh(async (state) => {
    const results = await Promise.all(Array.from({ length: 50 }, () => state.add('g', 'n', 1)));
    expect(await state.adapter.get('g', 'n')).to.deep.equal({ value: 50, revision: 50 });
    const revisions = results.map(({ after }) => after?.revision ?? 0).sort((a, b) => a - b);
    expect(revisions).to.deep.equal(Array.from({ length: 50 }, (_, index) => index + 1));
  }));

  suite.test('writes one key in the order of the calls, from the first one of an engine on', () => withFresh(async (state) => {
    if (declared.durable) await state.restart();
    const seen: unknown[] = [];
    const answered = await callsUnderWay((index) => state.write('g', 'k', (current) => {
      seen[index] = current?.value;
      return { action: 'set', value: index };
    }));
    const last = answered.length - 1;
    expect(seen).to.deep.equal([undefined, ...Array.from({ length: last }, (_, index) => index)]);
    expect(await state.value('g', 'k')).to.equal(last);
  }));

  throwTests(suite, withFresh);

  if (!declared.compareAndSet) return;
  suite.test('lets one of several compare-and-sets win', () => withFresh(async (state) => {
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

/** Decisions that throw. */
function throwTests(suite: StateTests['suite'], withFresh: StateTests['withFresh']): void {
  suite.test('changes nothing when the decision throws, and passes the error on', () => withFresh(async (state) => {
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

  suite.test('lets a decision that throws harm no other write of the same moment', () => withFresh(async (state) => {
    const refuse = (): never => { throw new Error('no'); };
    const [one, thrown, two] = await Promise.all([state.add('g', 'a', 1), errorOf(state.write('g', 'a', refuse, true)), state.add('g', 'a', 1)]);
    expect([one.after?.value, thrown.message, two.after?.value]).to.deep.equal([1, 'no', 2]);
  }));
}

/** Writes that decide without a look at what there is. */
export function certainTests({ suite, withFresh }: StateTests): void {
  suite.test('does what a write always decides as if it had been asked, and keeps its change', () => withFresh(async (state) => {
    expect(await state.always('g', 'k', { action: 'delete' }, true)).to.deep.equal({ before: undefined, after: undefined });
    const { after: first } = await state.always('g', 'k', { action: 'set', value: 1, expiresAt: state.clock.now() + 5_000 }, true);
    expect(first).to.deep.equal({ value: 1, revision: 1 });
    const { before, after: second } = await state.always('g', 'k', { action: 'set', value: 2 }, true);
    expect([before, second]).to.deep.equal([first, { value: 2, revision: 2 }]);
    await state.clock.advance(6_000);
    expect(await state.adapter.get('g', 'k'), 'written without a time to live').to.deep.equal(second);
    expect((await state.always('g', 'k', { action: 'delete' }, true)).before).to.deep.equal(second);
    const changes = await state.adapter.pendingChanges(10);
    expect(changes.map(({ oldValue, newValue }) => [oldValue, newValue])).to.deep.equal([[undefined, 1], [1, 2], [2, undefined]]);
  }));

  suite.test('keeps the order of writes that look and writes that do not', () => withFresh(async (state) => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? state.set('g', 'k', index * 10) : state.add('g', 'k', 1))));
    expect(await state.value('g', 'k')).to.equal(181);
  }));
}
