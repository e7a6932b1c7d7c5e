import type { SharedChanges } from '@treadle/api';
import { expect } from 'chai';
import type { Suite } from '../runner.js';
import type { AdapterUnderTest } from './adapter-under-test.js';
import { eventually } from '../eventually.js';
import type { WithTwo } from './two-engines.js';

const LONG_MS = 60_000;
const SHORT_MS = 200;

/** What an adapter of a slot has for the changes of several engines. */
interface ChangesOf<U> {
  readonly shared: (engine: U) => SharedChanges | undefined;
  /** Writes something whose change is kept. */
  readonly write: (engine: U) => Promise<unknown>;
  /** Ids of what is pending. */
  readonly pending: (engine: U) => Promise<readonly string[]>;
  readonly settle: (engine: U, ids: readonly string[]) => Promise<void>;
}

/** Which of two engines takes changes to their triggers. */
export function changeLeadTests<U extends AdapterUnderTest<unknown, unknown>>(suite: Suite, withTwo: WithTwo<U>, changes: ChangesOf<U>): void {
  const lead = async (engine: U, leaseMs: number): Promise<boolean> => await changes.shared(engine)?.lead(leaseMs) ?? expect.fail('it has no lead');

  suite.test('lets one of two engines lead, which may ask again', withTwo(async (first, second) => {
    const [leads, other] = await Promise.all([lead(first, LONG_MS), lead(second, LONG_MS)]);
    expect([leads, other].sort()).to.deep.equal([false, true]);
    const [leader, follower] = leads ? [first, second] : [second, first];
    for (let round = 0; round < 3; round += 1) expect([await lead(leader, LONG_MS), await lead(follower, LONG_MS)]).to.deep.equal([true, false]);
  }));

  suite.test('lets another engine lead when the time of the first is over, and then not the first', withTwo(async (first, second) => {
    expect([await lead(first, LONG_MS), await lead(second, LONG_MS), await lead(first, SHORT_MS)]).to.deep.equal([true, false, true]);
    await eventually('an end of the lead', async () => {
      await first.clock.advance(SHORT_MS / 4);
      return lead(second, LONG_MS);
    });
    expect(await lead(first, LONG_MS)).to.equal(false);
  }));

  suite.test('lets another engine lead as soon as the first has stopped', withTwo(async (first, second) => {
    expect([await lead(second, LONG_MS), await lead(first, LONG_MS)]).to.deep.equal([true, false]);
    await second.stop();
    expect(await lead(first, LONG_MS)).to.equal(true);
  }));

  toldTests(suite, withTwo, changes);
}

/** Who hears of changes. */
function toldTests<U extends AdapterUnderTest<unknown, unknown>>(suite: Suite, withTwo: WithTwo<U>, changes: ChangesOf<U>): void {
  suite.test('tells an engine of the changes that another one stores, and gives and settles them there', withTwo(async (first, second) => {
    let told = 0;
    const unlisten = changes.shared(second)?.onChanges(() => { told += 1; });
    for (let round = 0; round < 3; round += 1) {
      const before = told;
      await changes.write(first);
      await eventually('word of a change', () => told > before);
      const ids = await changes.pending(second);
      expect(ids).to.have.length(1);
      await changes.settle(second, ids);
      expect(await changes.pending(first)).to.deep.equal([]);
    }
    unlisten?.();
  }));

  suite.test('gives no two changes of different engines one id, and keeps them in one order', withTwo(async (first, second) => {
    for (const engine of [first, second, second, first, second]) await changes.write(engine);
    const ids = await changes.pending(first);
    expect([new Set(ids).size, ids]).to.deep.equal([5, await changes.pending(second)]);
  }));
}
