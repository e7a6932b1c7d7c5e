import { expect } from 'chai';
import { type CronTests, KEY, LEASE_MS, NO_OVERLAP, runOf } from './cron-under-test.js';

/** A tick while a run of its trigger goes on. */
export function overlapTests({ suite, withFresh }: CronTests): void {
  suite.test('writes no run beside one that goes on where they must not overlap', () => withFresh(async (cron) => {
    const long = runOf(5_000);
    expect(await cron.outcome(long, NO_OVERLAP)).to.equal('claimed');
    expect(await cron.outcome(runOf(6_000), NO_OVERLAP)).to.equal('overlaps');
    expect(await cron.outcome(runOf(1_000), NO_OVERLAP, cron.second), 'an earlier tick').to.equal('overlaps');
    expect(await cron.outcome(runOf(5_000), NO_OVERLAP, cron.second)).to.equal('taken');
    expect(await cron.outcome(runOf(6_000, { trigger: 'another' }), NO_OVERLAP)).to.equal('claimed');
    expect(await cron.outcome(runOf(7_000, { status: 'skipped' }), NO_OVERLAP), 'what does not run').to.equal('claimed');
    expect(await cron.outcome(runOf(8_000)), 'what may overlap').to.equal('claimed');
    expect(await cron.statuses()).to.deep.equal(['8000 running 1', '7000 skipped 1', '5000 running 1']);
  }));

  suite.test('takes a run for one that goes on until its end is written', () => withFresh(async (cron) => {
    const [first, second] = [runOf(1_000), runOf(2_000)];
    expect(await cron.adapter.claim([first, second], LEASE_MS, NO_OVERLAP)).to.deep.equal(['claimed', 'overlaps']);
    await cron.adapter.finish([first]);
    expect(await cron.outcome(second, NO_OVERLAP), 'given back').to.equal('overlaps');
    const [taken = first] = [await cron.second.takeOver(first, LEASE_MS)];
    await cron.second.finish([{ ...taken, status: 'succeeded' }]);
    expect(await cron.outcome(second, NO_OVERLAP)).to.equal('claimed');
  }));

  suite.test('lets one of two users that ask at once begin a run where runs must not overlap', () => withFresh(async (cron) => {
    for (let round = 0; round < 20; round += 1) {
      const key = { step: 'report', trigger: `${round}` };
      const users = [cron.adapter, cron.second];
      const claims = await Promise.all(users.map((user, index) => cron.outcome(runOf(index * 1_000, key), NO_OVERLAP, user)));
      expect(claims.sort(), `round ${round}`).to.deep.equal(['claimed', 'overlaps']);
    }
  }));
}

/** A tick while its trigger is paused. */
export function pauseTests({ suite, withFresh }: CronTests): void {
  suite.test('writes nothing of a paused trigger but what was asked for by hand', () => withFresh(async (cron) => {
    await cron.claim(runOf(1_000));
    await cron.adapter.setPaused(KEY, true, 2_000);
    expect(await cron.outcome(runOf(3_000), undefined, cron.second)).to.equal('paused');
    expect(await cron.outcome(runOf(3_000, { status: 'skipped' }), NO_OVERLAP)).to.equal('paused');
    expect(await cron.outcome(runOf(1_000))).to.equal('taken');
    expect(await cron.outcome(runOf(3_001, { manual: true }))).to.equal('claimed');
    expect(await cron.outcome(runOf(3_000, { trigger: 'another' }))).to.equal('claimed');
    await cron.second.setPaused(KEY, false, 4_000);
    expect(await cron.outcome(runOf(3_000))).to.equal('claimed');
  }));

  suite.test('pauses a trigger until a time: its ticks before that are refused, and none from then on', () => withFresh(async (cron) => {
    await cron.adapter.setPaused(KEY, true, 1_000, 5_000);
    expect(await cron.adapter.claim([3_000, 4_000, 5_000, 6_000].map((tick) => runOf(tick)), LEASE_MS)).to.deep.equal(['paused', 'paused', 'claimed', 'claimed']);
    expect(await cron.outcome(runOf(4_000), undefined, cron.second)).to.equal('paused');
    expect(await cron.outcome(runOf(4_001, { manual: true }))).to.equal('claimed');
    await cron.second.setPaused(KEY, true, 2_000);
    expect(await cron.outcome(runOf(7_000)), 'now for good').to.equal('paused');
  }));

  suite.test('lets nobody run a tick to come that was skipped by hand, and takes it for no tick that has come', () => withFresh(async (cron) => {
    await cron.adapter.schedules([KEY], 0);
    await cron.claim(runOf(1_000));
    expect(await cron.outcome(runOf(9_000, { firedAt: 2_000, manual: true, status: 'skipped', error: 'skipped by somebody' }))).to.equal('claimed');
    expect(await cron.adapter.schedules([KEY], 0)).to.deep.equal([{ ...KEY, since: 0, paused: false, lastTick: 1_000 }]);
    expect(await cron.outcome(runOf(9_000), undefined, cron.second)).to.equal('taken');
    expect((await cron.second.runs(KEY, 1))[0]).to.include({ scheduledAt: 9_000, firedAt: 2_000, manual: true, status: 'skipped', error: 'skipped by somebody' });
  }));
}
