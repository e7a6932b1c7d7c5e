import { expect } from 'chai';
import { transferTests } from '../suite/transfer-tests.js';
import { type CronTests, KEY, KEYS, LEASE_MS, runOf } from './cron-under-test.js';

const PAUSED = { step: 'paused', trigger: '* * * * * UTC' };
const SECOND = 1000;

/** What reaches another store when ticks and runs are copied. */
export function copyTests(tests: CronTests): void {
  let running = '';
  transferTests(tests, {
    fill: async (cron) => {
      const now = cron.clock.now();
      await cron.adapter.schedules([...KEYS, PAUSED], now);
      await cron.adapter.setPaused(PAUSED, true, now, now + SECOND);
      const runs = Array.from({ length: 120 }, (_, tick) => runOf(now + tick * SECOND));
      await cron.adapter.claim(runs, LEASE_MS);
      await cron.adapter.finish(runs.map((run) => ({ ...run, status: 'failed', durationMs: 5, error: 'é😀' })));
      const left = runOf(now + 200 * SECOND);
      running = left.id;
      await cron.claim(left);
    },
    check: async (cron) => {
      const now = cron.clock.now();
      const known = await cron.adapter.schedules([...KEYS, PAUSED], now + 1);
      expect(known.map(({ since }) => since)).to.deep.equal(known.map(() => now));
      expect(known.at(-1)).to.include({ paused: true, pausedUntil: now + SECOND });
      expect(known[0]).to.include({ lastTick: now + 200 * SECOND });
      expect(await cron.claim(runOf(now)), 'a tick whose record is gone').to.equal(false);
      expect(await cron.claim(runOf(now + 119 * SECOND)), 'a tick with a record').to.equal(false);
      expect(await cron.claim(runOf(now + 150 * SECOND)), 'a tick that nobody had').to.equal(true);
      const runs = await cron.adapter.runs(KEY, 200);
      expect(runs).to.have.length.at.least(100);
      expect(runs.find(({ scheduledAt }) => scheduledAt === now + 119 * SECOND)).to.include({ status: 'failed', durationMs: 5, error: 'é😀' });
      const [orphan, ...more] = await cron.adapter.orphans();
      expect(more).to.deep.equal([]);
      expect(orphan?.id).to.equal(running);
      expect(orphan && await cron.adapter.takeOver(orphan, LEASE_MS)).to.include({ attempt: 2 });
    },
  });
}
