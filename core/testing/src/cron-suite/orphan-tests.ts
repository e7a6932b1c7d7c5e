import { expect } from 'chai';
import { type CronTests, LEASE_MS, runOf } from './cron-under-test.js';

/** Runs whose holder is gone. */
export function orphanTests({ suite, withFresh }: CronTests): void {
  suite.test('takes no run for an orphan that is held, finished or skipped', () => withFresh(async (cron) => {
    const run = runOf(1_000);
    await cron.adapter.claim([run, runOf(2_000, { status: 'skipped' })], LEASE_MS);
    expect([await cron.adapter.orphans(), await cron.second.orphans()]).to.deep.equal([[], []]);
    expect(await cron.second.takeOver(run, LEASE_MS)).to.equal(undefined);
    expect(await cron.adapter.takeOver(run, LEASE_MS)).to.equal(undefined);
    await cron.adapter.finish([{ ...run, status: 'succeeded' }]);
    expect(await cron.second.takeOver(run, LEASE_MS)).to.equal(undefined);
    expect(await cron.statuses()).to.deep.equal(['2000 skipped 1', '1000 succeeded 1']);
  }));

  suite.test('gives a run that was given back to one taker, with the next attempt', () => withFresh(async (cron) => {
    const run = runOf(1_000);
    await cron.claim(run);
    await cron.adapter.finish([run]);
    expect(await cron.second.orphans()).to.deep.equal([run]);
    const taken = await Promise.all([cron.second.takeOver(run, LEASE_MS), cron.adapter.takeOver(run, LEASE_MS), cron.second.takeOver(run, LEASE_MS)]);
    const [winner, ...others] = taken.filter((one) => one !== undefined);
    expect([winner, others]).to.deep.equal([{ ...run, attempt: 2 }, []]);
    expect(await cron.adapter.orphans()).to.deep.equal([]);
    expect(await cron.statuses()).to.deep.equal(['1000 running 2']);
  }));

  suite.test('keeps the attempt that a run is given back with', () => withFresh(async (cron) => {
    const run = runOf(1_000);
    await cron.claim(run);
    await cron.adapter.finish([{ ...run, attempt: 0 }]);
    const [orphan] = await cron.adapter.orphans();
    expect(orphan).to.deep.equal({ ...run, attempt: 0 });
    expect(await cron.adapter.takeOver(run, LEASE_MS), 'an attempt that is past').to.equal(undefined);
    expect(await cron.adapter.takeOver(orphan ?? run, LEASE_MS)).to.deep.equal(run);
  }));
}

/** Runs whose holder says nothing any more. */
export function leaseTests({ suite, withFresh }: CronTests): void {
  suite.test('takes a run for an orphan when its lease was not renewed, and lets its former holder do nothing more', () => withFresh(async (cron) => {
    const [kept, lost] = [runOf(1_000), runOf(2_000)];
    await cron.adapter.claim([kept, lost], LEASE_MS);
    await cron.clock.advance(LEASE_MS - 1_000);
    expect(await cron.second.orphans()).to.deep.equal([]);
    expect(await cron.adapter.renew([kept.id], LEASE_MS)).to.deep.equal([kept.id]);
    await cron.clock.advance(2_000);
    expect(await cron.second.orphans()).to.deep.equal([lost]);
    expect(await cron.second.takeOver(lost, LEASE_MS)).to.deep.equal({ ...lost, attempt: 2 });
    await cron.adapter.finish([{ ...lost, status: 'failed' }, { ...kept, status: 'succeeded' }]);
    expect(await cron.statuses()).to.deep.equal(['2000 running 2', '1000 succeeded 1']);
    expect(await cron.adapter.renew([lost.id, kept.id, 'nobody knows it'], LEASE_MS * 10), 'what it held once').to.deep.equal([]);
    await cron.clock.advance(LEASE_MS + 1_000);
    expect(await cron.adapter.orphans(), 'renewed by one who does not hold it').to.deep.equal([{ ...lost, attempt: 2 }]);
  }));

  suite.test('lets a late holder renew a run that nobody has taken over', () => withFresh(async (cron) => {
    const run = runOf(1_000);
    await cron.claim(run);
    await cron.clock.advance(LEASE_MS * 2);
    expect(await cron.adapter.renew([run.id], LEASE_MS)).to.deep.equal([run.id]);
    expect(await cron.second.orphans()).to.deep.equal([]);
    expect(await cron.second.takeOver(run, LEASE_MS)).to.equal(undefined);
  }));

  suite.test('lets a late holder finish a run that nobody has taken over', () => withFresh(async (cron) => {
    const run = runOf(1_000);
    await cron.claim(run);
    await cron.clock.advance(LEASE_MS * 2);
    await cron.adapter.finish([{ ...run, status: 'succeeded', durationMs: 3 }]);
    expect(await cron.statuses()).to.deep.equal(['1000 succeeded 1']);
    expect(await cron.second.orphans()).to.deep.equal([]);
  }));

}

/** What is so with a store that several engines share is tried where it is parted from them: `partitionSuite`. */
export function standstillTests({ suite, withFresh, declared }: CronTests): void {
  if (declared.multiEngine) return;
  suite.test('keeps runs over a time in which the machine stood still and nobody could renew them', () => withFresh(async (cron) => {
    const [kept, lost] = [runOf(1_000), runOf(2_000)];
    await cron.adapter.claim([kept, lost], LEASE_MS);
    await cron.clock.sleep(LEASE_MS * 2);
    expect(await cron.second.orphans()).to.deep.equal([]);
    expect(await cron.second.takeOver(lost, LEASE_MS)).to.equal(undefined);
    expect(await cron.adapter.renew([kept.id], LEASE_MS)).to.deep.equal([kept.id]);
    await cron.clock.advance(LEASE_MS - 1_000);
    expect(await cron.second.orphans()).to.deep.equal([lost]);
  }));
}
