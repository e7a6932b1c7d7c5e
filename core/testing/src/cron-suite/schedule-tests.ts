import { expect } from 'chai';
import { type CronTests, KEY, KEYS, runOf } from './cron-under-test.js';

/** What is known of triggers. */
export function scheduleTests({ suite, withFresh }: CronTests): void {
  suite.test('notes when it first saw a trigger, and keeps that', () => withFresh(async ({ adapter }) => {
    expect(await adapter.schedules([KEY], 1_000)).to.deep.equal([{ ...KEY, since: 1_000, paused: false }]);
    const other = { step: 'other', trigger: 't' };
    expect(await adapter.schedules([other, KEY], 2_000)).to.deep.equal([
      { ...other, since: 2_000, paused: false }, { ...KEY, since: 1_000, paused: false },
    ]);
    expect(await adapter.schedules([], 3_000)).to.deep.equal([]);
  }));

  suite.test('tells the newest tick that has a record, whatever became of it', () => withFresh(async (cron) => {
    await cron.adapter.schedules([KEY], 0);
    for (const run of [runOf(3_000), runOf(2_000), runOf(5_000, { status: 'skipped', missed: true }), runOf(9_001, { manual: true })]) {
      expect(await cron.claim(run)).to.equal(true);
    }
    expect(await cron.adapter.schedules([KEY], 9_000)).to.deep.equal([{ ...KEY, since: 0, paused: false, lastTick: 5_000 }]);
  }));

  suite.test('mixes up no triggers', () => withFresh(async (cron) => {
    for (const [index, key] of KEYS.entries()) {
      await cron.adapter.schedules([key], index);
      expect(await cron.claim(runOf(60_000, key))).to.equal(true);
      if (index % 2 === 1) await cron.adapter.setPaused(key, true, 100);
    }
    const found = await cron.adapter.schedules(KEYS, 1_000);
    expect(found).to.deep.equal(KEYS.map((key, index) => ({ ...key, since: index, paused: index % 2 === 1, lastTick: 60_000 })));
    for (const key of KEYS) expect(await cron.adapter.runs(key, 10)).to.have.length(1).and.to.have.nested.property('[0].step', key.step);
  }));
}

/** What is kept of pauses. */
export function pauseScheduleTests({ suite, withFresh }: CronTests): void {
  suite.test('keeps pauses; what came while a trigger was paused was not missed', () => withFresh(async ({ adapter }) => {
    const [other] = KEYS.slice(1);
    await adapter.schedules([KEY], 1_000);
    await adapter.setPaused(KEY, true, 2_000);
    await adapter.setPaused(KEY, true, 3_000);
    expect(await adapter.schedules([KEY, other ?? KEY], 4_000)).to.deep.equal([{ ...KEY, since: 1_000, paused: true }, { ...other, since: 4_000, paused: false }]);
    await adapter.setPaused(KEY, false, 5_000);
    expect(await adapter.schedules([KEY], 6_000)).to.deep.equal([{ ...KEY, since: 5_000, paused: false }]);
    await adapter.setPaused(KEY, false, 7_000);
    expect(await adapter.schedules([KEY], 8_000)).to.deep.equal([{ ...KEY, since: 5_000, paused: false }]);
  }));

  suite.test('takes what comes after the end of a pause for none of it, when it is resumed later', () => withFresh(async ({ adapter }) => {
    await adapter.setPaused(KEY, true, 1_000, 8_000);
    await adapter.setPaused(KEY, false, 60_000);
    expect(await adapter.schedules([KEY], 70_000)).to.deep.equal([{ ...KEY, since: 7_999, paused: false }]);
    await adapter.setPaused(KEY, true, 80_000, 90_000);
    await adapter.setPaused(KEY, false, 90_000);
    expect(await adapter.schedules([KEY], 90_000), 'resumed right when it ends').to.deep.equal([{ ...KEY, since: 89_999, paused: false }]);
    await adapter.setPaused(KEY, true, 95_000, 85_000);
    await adapter.setPaused(KEY, false, 99_000);
    expect(await adapter.schedules([KEY], 99_000), 'a pause that was over before it began').to.deep.equal([{ ...KEY, since: 89_999, paused: false }]);
  }));

  suite.test('keeps the end of a pause until the next one', () => withFresh(async ({ adapter }) => {
    await adapter.setPaused(KEY, true, 1_000, 8_000);
    expect(await adapter.schedules([KEY], 9_000), 'although it is over').to.deep.equal([{ ...KEY, since: 1_000, paused: true, pausedUntil: 8_000 }]);
    await adapter.setPaused(KEY, true, 2_000, 7_000);
    expect(await adapter.schedules([KEY], 9_000)).to.deep.equal([{ ...KEY, since: 1_000, paused: true, pausedUntil: 7_000 }]);
    await adapter.setPaused(KEY, true, 3_000);
    expect(await adapter.schedules([KEY], 9_000)).to.deep.equal([{ ...KEY, since: 1_000, paused: true }]);
    await adapter.setPaused(KEY, true, 4_000, 6_000);
    await adapter.setPaused(KEY, false, 5_000);
    expect(await adapter.schedules([KEY], 9_000)).to.deep.equal([{ ...KEY, since: 5_000, paused: false }]);
  }));
}
