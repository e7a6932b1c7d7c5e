import { expect } from 'chai';
import type { Suite } from '../runner.js';
import { changeLeadTests } from '../suite/change-lead-tests.js';
import { twoEngines, type WithTwo } from '../suite/two-engines.js';
import { type StateTests, StateUnderTest } from './state-under-test.js';

/** Two engines with clocks of their own on one store. */
export function sharingTests({ suite, withFresh, declared }: StateTests): void {
  suite.test(`has ${declared.multiEngine ? 'what' : 'nothing that'} several engines have in common`, () => withFresh(async ({ adapter }) => {
    expect(adapter.shared === undefined).to.equal(!declared.multiEngine);
  }));
  if (!declared.multiEngine) return;
  const withTwo = twoEngines(withFresh, StateUnderTest);

  suite.test('counts every one of 50 updates of two engines at the same time', withTwo(async (first, second) => {
    await Promise.all(Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? first : second).add('g', 'n', 1)));
    expect([await first.value('g', 'n'), await second.value('g', 'n')]).to.deep.equal([50, 50]);
  }));

  revisionTests(suite, withTwo);
  suite.test('shows an engine at once what another one has written', withTwo(async (first, second) => {
    for (const [round, [writer, reader]] of ([[first, second], [second, first], [first, second]] as const).entries()) {
      await writer.set('g', 'k', round);
      expect(await reader.value('g', 'k')).to.equal(round);
      await writer.delete('g', 'k');
      expect([await reader.value('g', 'k'), await reader.list('g')]).to.deep.equal([undefined, []]);
    }
  }));

  changeLeadTests(suite, withTwo, {
    shared: ({ adapter }) => adapter.shared,
    write: (state) => state.write('g', 'changed', () => ({ action: 'set', value: 1 }), true),
    pending: async ({ adapter }) => (await adapter.pendingChanges(10)).map(({ id }) => id),
    settle: ({ adapter }, ids) => adapter.settleChanges(ids),
  });
}

/** What two engines count of one key. */
function revisionTests(suite: Suite, withTwo: WithTwo<StateUnderTest>): void {
  suite.test('gives the changes of a key that two engines update revisions without a gap', withTwo(async (first, second) => {
    const add = (state: StateUnderTest, key: string): Promise<unknown> => state.write('g', key, (current) => ({ action: 'set', value: Number(current?.value ?? 0) + 1 }), true);
    await Promise.all([first, second].flatMap((state) => Array.from({ length: 100 }, (_, index) => add(state, `k${index % 3}`))));
    const changes = await second.adapter.pendingChanges(1_000);
    for (const key of ['k0', 'k1', 'k2']) {
      const revisions = changes.filter((change) => change.key === key).map(({ revision }) => revision);
      expect(revisions).to.deep.equal(Array.from({ length: key === 'k0' ? 68 : 66 }, (_, index) => index + 1));
      expect(await first.value('g', key)).to.equal(revisions.length);
    }
  }));

  suite.test('counts revisions of a key up where two engines set and delete it without a look', withTwo(async (first, second) => {
    const revisions: (number | undefined)[] = [];
    const put = async (state: StateUnderTest, value: number): Promise<unknown> => revisions.push((await state.set('g', 'k', value)).after?.revision);
    for (let round = 0; round < 20; round += 1) await Promise.all([put(first, round), put(second, round), first.delete('g', 'k'), put(second, -round)]);
    expect([new Set(revisions).size, revisions.includes(undefined)]).to.deep.equal([60, false]);
  }));
}
