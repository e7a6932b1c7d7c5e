import type { CronAdapter, CronRun } from '@treadle/api';
import { errorOf, eventually } from '@treadle/testing';
import { expect } from 'chai';
import { Connections } from '../store/connections.js';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';

const LEASE_MS = 60_000;

function runOf(id: string, scheduledAt: number): CronRun {
  return { step: 'report', trigger: '* * * * * UTC', id, scheduledAt, firedAt: scheduledAt, attempt: 1, manual: false, missed: false, status: 'running', traceId: 't' };
}

withServer.describe('cron runs of an engine that was taken for dead', () => {
  withServer.it('are not claimed or taken over by it before it is a member again', async () => {
    const { config, cleanup } = await freshConfig();
    const { adapter: cron, stop } = await startEngine<CronAdapter>('cron', config);
    const schema = new Connections({ ...config, pool_size: 1 }, () => undefined);
    try {
      const [orphan, tick] = [runOf('orphan', 1_000), runOf('tick', 2_000)];
      await cron.claim([orphan], LEASE_MS);
      await cron.finish([orphan]);
      await schema.rows('ALTER TABLE members ADD CONSTRAINT nobody_joins CHECK (false) NOT VALID');
      await schema.rows('DELETE FROM members');
      const claim = (): Promise<readonly string[]> => cron.claim([tick], LEASE_MS);
      for (const asked of [claim(), cron.takeOver(orphan, LEASE_MS)]) expect((await errorOf(asked)).message).to.match(/took this one for gone/);
      await schema.rows('ALTER TABLE members DROP CONSTRAINT nobody_joins');
      expect(await eventually('another membership', () => claim().catch(() => []), ({ length }) => length > 0, 60_000)).to.deep.equal(['claimed']);
      expect(await cron.orphans()).to.deep.equal([orphan]);
      expect(await cron.takeOver(orphan, LEASE_MS)).to.deep.equal({ ...orphan, attempt: 2 });
      expect(await cron.takeOver(orphan, LEASE_MS), 'an attempt that is past').to.equal(undefined);
    } finally {
      await stop();
      await schema.close();
      await cleanup();
    }
  });
});
