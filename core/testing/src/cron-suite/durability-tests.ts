import { expect } from 'chai';
import { killedAfter } from '../suite/killed-process.js';
import { storeOpeningTests } from '../suite/store-opening-tests.js';
import { type CronTests, CronUnderTest, KEY, LEASE_MS, runOf } from './cron-under-test.js';

const CHILD = new URL('./kill-claimer-child.js', import.meta.url);

/** What survives, as declared: both ways. */
export function durabilityTests({ suite, withFresh, declared }: CronTests): void {
  const { durable } = declared;
  suite.test(`keeps ${durable ? 'everything' : 'nothing'} over a restart`, () => withFresh(async (cron) => {
    await cron.adapter.schedules([KEY], 1);
    const [ended, cut] = [runOf(1_000), runOf(2_000)];
    await cron.adapter.claim([ended, cut], LEASE_MS);
    await cron.adapter.finish([{ ...ended, status: 'failed', durationMs: 1, error: 'e' }]);
    await cron.adapter.setPaused(KEY, true, 2, 2_000);
    await cron.restart();
    const known = { ...KEY, since: 1, paused: true, pausedUntil: 2_000, lastTick: 2_000 };
    expect(await cron.adapter.schedules([KEY], 9)).to.deep.equal([durable ? known : { ...KEY, since: 9, paused: false }]);
    expect(await cron.adapter.orphans(), 'at once, not when a lease is over').to.deep.equal(durable ? [cut] : []);
    expect(await cron.statuses()).to.deep.equal(durable ? ['2000 running 1', '1000 failed 1'] : []);
    expect(await cron.outcome(runOf(2_000))).to.equal(durable ? 'taken' : 'claimed');
    if (durable) expect(await cron.second.takeOver(cut, LEASE_MS)).to.deep.equal({ ...cut, attempt: 2 });
  }));

  if (!durable) return;
  suite.test('loses no acknowledged claim when its process is killed, and gives none again', () => withFresh(async (cron) => {
    await cron.stop();
    for (const round of [1, 2, 3]) {
      const { length: acknowledged } = await killedAfter(15 * round, CHILD, { ...cron.options, round });
      await cron.start();
      for (let tick = 1; tick <= acknowledged; tick += 1) {
        expect(await cron.claim(runOf(round * 1e6 + tick * 1_000)), `tick ${tick} of round ${round}`).to.equal(false);
      }
      const orphans = (await cron.adapter.orphans()).filter(({ scheduledAt }) => scheduledAt > round * 1e6);
      expect(orphans.length, 'each run is finished before the next one is claimed').to.be.at.most(1);
      await cron.stop();
    }
  }));
}

/** Who may open a store, and what cannot be opened. */
export function openingTests(tests: CronTests): void {
  storeOpeningTests(tests, CronUnderTest, {
    write: (cron) => cron.claim(runOf(1_000)),
    check: async (cron) => {
      expect(await cron.statuses()).to.deep.equal(['1000 running 1']);
    },
    checkOther: async (cron) => {
      expect([await cron.claim(runOf(1_000)), await cron.adapter.orphans()]).to.deep.equal([false, []]);
    },
  });
}
