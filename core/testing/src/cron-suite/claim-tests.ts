import type { CronRun } from '@treadle/api';
import { expect } from 'chai';
import { type CronTests, type CronUnderTest, KEY, LEASE_MS, runOf } from './cron-under-test.js';

/** One record per tick. */
export function claimTests({ suite, withFresh }: CronTests): void {
  suite.test('gives a tick to the first who claims it, and keeps that record as it was written', () => withFresh(async (cron) => {
    const run = runOf(1_000, { missed: true });
    expect(await cron.claim(run)).to.equal(true);
    expect(await cron.claim(runOf(1_000))).to.equal(false);
    expect(await cron.claim(runOf(1_000), cron.second)).to.equal(false);
    expect(await cron.adapter.runs(KEY, 10)).to.deep.equal([run]);
    expect(await cron.second.runs(KEY, 10)).to.deep.equal([run]);
  }));

  suite.test('answers for each of many runs, and takes none for missing', () => withFresh(async ({ adapter }) => {
    expect(await adapter.claim([runOf(1_000), runOf(2_000), runOf(1_000)], LEASE_MS)).to.deep.equal(['claimed', 'claimed', 'taken']);
    expect(await adapter.claim([runOf(2_000), runOf(3_000, { status: 'skipped' })], LEASE_MS)).to.deep.equal(['taken', 'claimed']);
    expect(await adapter.claim([], LEASE_MS)).to.deep.equal([]);
  }));

  suite.test('never gives one tick to both of two users that ask at once', () => withFresh(async (cron) => {
    const ticks = Array.from({ length: 90 }, (_, index) => (index + 1) * 1_000);
    const claims = ticks.flatMap((tick) => [cron.claim(runOf(tick)), cron.claim(runOf(tick), cron.second)]);
    const written = await Promise.all(claims);
    ticks.forEach((tick, index) => expect(Number(written[index * 2]) + Number(written[index * 2 + 1]), `claims of ${tick}`).to.equal(1));
    expect(await cron.adapter.runs(KEY, 100)).to.have.length(90);
  }));
}

/** What is kept of ticks that are past. */
export function historyTests({ suite, withFresh }: CronTests): void {
  suite.test('keeps the last 100 runs of each trigger, newest tick first, and gives no forgotten tick again', () => withFresh(async (cron) => {
    const other = { step: 'other', trigger: 't' };
    await cron.claim(runOf(500, other));
    for (let tick = 1; tick <= 250; tick += 1) {
      const run = runOf(tick * 1_000);
      expect(await cron.claim(run)).to.equal(true);
      await cron.adapter.finish([{ ...run, status: 'succeeded', durationMs: 1 }]);
    }
    const kept = await cron.adapter.runs(KEY, 1_000);
    expect(kept.length).to.be.at.least(100);
    expect(kept.map(({ scheduledAt }) => scheduledAt)).to.deep.equal(kept.map((_, index) => (250 - index) * 1_000));
    expect((await cron.adapter.runs(KEY, 3)).map(({ scheduledAt }) => scheduledAt)).to.deep.equal([250_000, 249_000, 248_000]);
    for (const tick of [1, 2, 100, 149, 150, 151, 250]) expect(await cron.claim(runOf(tick * 1_000)), `tick ${tick}`).to.equal(false);
    for (const tick of [1, 100, 250]) expect(await cron.claim(runOf(tick * 1_000 + 1)), `a tick right after ${tick}`).to.equal(true);
    expect(await cron.adapter.runs(other, 10)).to.have.length(1);
  }));

  suite.test('forgets no run that goes on', () => withFresh(async (cron) => {
    const long = runOf(1_000);
    await cron.claim(long);
    for (let tick = 2; tick <= 230; tick += 1) await cron.claim(runOf(tick * 1_000, { status: 'skipped' }));
    expect(await cron.adapter.running(KEY)).to.deep.equal([long]);
    await cron.adapter.finish([{ ...long, status: 'succeeded', durationMs: 9 }]);
    expect(await cron.adapter.running(KEY)).to.deep.equal([]);
    expect(await cron.claim(runOf(1_000))).to.equal(false);
  }));
}

/** What is kept of a tick that somebody lets be skipped before it comes. */
export function skippedHistoryTests({ suite, withFresh }: CronTests): void {
  const skip = (tick: number): CronRun => runOf(tick * 1_000, { firedAt: 500, manual: true, status: 'skipped', error: 'skipped by somebody' });
  const claimAll = async (cron: CronUnderTest, first: number, last: number, over: Partial<CronRun> = {}): Promise<void> => {
    const runs = Array.from({ length: last - first + 1 }, (_, index) => runOf((first + index) * 1_000, { status: 'skipped', ...over }));
    expect(await cron.adapter.claim(runs, LEASE_MS)).to.deep.equal(runs.map(() => 'claimed'));
  };

  suite.test('keeps a tick that was skipped by hand until it comes, and as long as others then', () => withFresh(async (cron) => {
    const skips = [skip(300), skip(400)];
    expect(await cron.adapter.claim(skips, LEASE_MS)).to.deep.equal(['claimed', 'claimed']);
    await claimAll(cron, 1, 299);
    expect(await cron.adapter.runs(KEY, 2)).to.deep.equal([...skips].reverse());
    await claimAll(cron, 301, 390);
    expect((await cron.second.runs(KEY, 100)).map(({ scheduledAt }) => scheduledAt)).to.include.members([300_000, 400_000]);
    expect(await cron.outcome(runOf(400_000))).to.equal('taken');
  }));

  suite.test('gives no tick again that was skipped by hand, when its record is gone as well', () => withFresh(async (cron) => {
    await cron.adapter.claim([skip(300), skip(9_000)], LEASE_MS);
    await claimAll(cron, 1, 299);
    await claimAll(cron, 301, 600);
    expect(await cron.outcome(runOf(300_000))).to.equal('taken');
    await claimAll(cron, 601, 900, { firedAt: 1e7 });
    expect(await cron.outcome(runOf(9_000_000)), 'after a clock was ahead').to.equal('taken');
    expect(await cron.outcome(runOf(8_999_000)), 'the tick before it').to.equal('claimed');
  }));
}

/** The end of runs. */
export function finishTests({ suite, withFresh }: CronTests): void {
  suite.test('keeps how a run ended', () => withFresh(async (cron) => {
    const [good, bad] = [runOf(1_000), runOf(2_000)];
    await cron.adapter.claim([good, bad], LEASE_MS);
    expect(await cron.adapter.running(KEY)).to.deep.equal([good, bad]);
    const ended = [{ ...good, status: 'succeeded', durationMs: 0 }, { ...bad, status: 'failed', durationMs: 7, firedAt: 2_500, error: 'Error: "é"\n' }] as const;
    await cron.adapter.finish(ended);
    expect(await cron.second.runs(KEY, 10)).to.deep.equal([...ended].reverse());
    expect(await cron.adapter.running(KEY)).to.deep.equal([]);
    expect(await cron.adapter.orphans()).to.deep.equal([]);
  }));

  suite.test('passes over runs that the caller does not hold', () => withFresh(async (cron) => {
    const run = runOf(1_000);
    await cron.claim(run);
    await cron.second.finish([{ ...run, status: 'failed' }]);
    expect(await cron.statuses()).to.deep.equal(['1000 running 1']);
    await cron.adapter.finish([{ ...run, status: 'succeeded' }]);
    await cron.adapter.finish([{ ...run, status: 'failed' }, runOf(9_000, { status: 'failed' })]);
    await cron.adapter.finish([]);
    expect(await cron.statuses()).to.deep.equal(['1000 succeeded 1']);
  }));
}
