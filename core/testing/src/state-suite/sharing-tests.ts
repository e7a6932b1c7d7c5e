import { expect } from 'chai';
import { changeLeadTests } from '../suite/change-lead-tests.js';
import { twoEngines } from '../suite/two-engines.js';
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
