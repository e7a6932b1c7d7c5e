import { expect } from 'chai';
import { eventually } from '../eventually.js';
import { twoEngines, type WithTwo } from '../suite/two-engines.js';
import { type CronTests, CronUnderTest, KEY, LEASE_MS, NO_OVERLAP, runOf } from './cron-under-test.js';

/** How well a store's time has to be known. */
const ESTIMATE_MS = 30_000;

/** Two engines with clocks of their own on one store. */
export function sharingTests({ suite, withFresh, declared }: CronTests): void {
  suite.test(`has ${declared.multiEngine ? 'what' : 'nothing that'} several engines have in common`, () => withFresh(async ({ adapter }) => {
    expect(adapter.shared === undefined).to.equal(!declared.multiEngine);
  }));
  if (!declared.multiEngine) return;
  const withTwo = twoEngines(withFresh, CronUnderTest);
  claimsOfTwo(suite, withTwo);

  suite.test('tells engines one time of day, whatever their clocks show', withTwo(async ({ adapter }, second) => {
    expect(Math.abs((adapter.shared?.now() ?? 0) - (second.adapter.shared?.now() ?? NaN))).to.be.below(ESTIMATE_MS);
  }));

  suite.test('tells an engine that another one has paused or resumed a trigger', withTwo(async (first, second) => {
    let told = 0;
    const unlisten = second.adapter.shared?.onSchedules(() => { told += 1; });
    for (const paused of [true, false]) {
      const before = told;
      await first.adapter.setPaused(KEY, paused, 5_000);
      await eventually(`word that the trigger is ${paused ? 'paused' : 'resumed'}`, () => told > before);
      expect((await second.adapter.schedules([KEY], 9_000))[0]).to.include({ paused });
      expect(await second.outcome(runOf(paused ? 1_000 : 2_000))).to.equal(paused ? 'paused' : 'claimed');
    }
    await first.adapter.setPaused(KEY, true, 6_000, 8_000);
    expect((await second.adapter.schedules([KEY], 9_000))[0]).to.include({ paused: true, pausedUntil: 8_000 });
    expect(await second.adapter.claim([runOf(7_000), runOf(8_000)], LEASE_MS)).to.deep.equal(['paused', 'claimed']);
    unlisten?.();
  }));

  suite.test('keeps the runs of a living engine from another one, and gives those of one that has stopped to it at once', withTwo(async (first, second) => {
    const run = runOf(1_000);
    await first.claim(run);
    expect([await second.adapter.orphans(), await second.adapter.running(KEY)]).to.deep.equal([[], [run]]);
    expect(await second.adapter.takeOver(run, LEASE_MS)).to.equal(undefined);
    await second.adapter.finish([{ ...run, status: 'failed' }]);
    expect(await second.adapter.running(KEY), 'ended by one who does not hold it').to.deep.equal([run]);
    await first.stop();
    expect(await second.adapter.orphans()).to.deep.equal([run]);
    expect(await second.adapter.takeOver(run, LEASE_MS)).to.deep.equal({ ...run, attempt: 2 });
  }));
}

function claimsOfTwo(suite: CronTests['suite'], withTwo: WithTwo<CronUnderTest>): void {
  suite.test('gives a tick to one of two engines that ask at once', withTwo(async (first, second) => {
    const ticks = Array.from({ length: 60 }, (_, index) => (index + 1) * 1_000);
    const claims = await Promise.all(ticks.flatMap((tick) => [first.outcome(runOf(tick)), second.outcome(runOf(tick))]));
    ticks.forEach((tick, index) => expect(claims.slice(index * 2, index * 2 + 2).sort(), `claims of ${tick}`).to.deep.equal(['claimed', 'taken']));
  }));

  suite.test('lets one of two engines begin a run where runs must not overlap', withTwo(async (first, second) => {
    for (let round = 0; round < 20; round += 1) {
      const key = { step: 'report', trigger: `${round} * * * * UTC` };
      const claims = await Promise.all([first.outcome(runOf(1_000, key), NO_OVERLAP), second.outcome(runOf(2_000, key), NO_OVERLAP)]);
      expect(claims.sort(), `round ${round}`).to.deep.equal(['claimed', 'overlaps']);
    }
  }));
}
