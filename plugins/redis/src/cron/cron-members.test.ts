import type { CronAdapter, CronRun } from '@treadle/api';
import { errorOf, eventually } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { ask } from '../testing/server.fixture.js';
import { sharedServer } from '../testing/shared-server.fixture.js';

const KEY = { step: 'report', trigger: '* * * * * UTC' };
const LEASE_MS = 60_000;

function runOf(id: string, scheduledAt: number): CronRun {
  return { ...KEY, id, scheduledAt, firedAt: scheduledAt, attempt: 1, manual: false, missed: false, status: 'running', traceId: 't' };
}

withServer.describe('cron runs of an engine that was taken for dead', () => {
  withServer.it('are orphans long before their lease is over, and go on with whoever takes them', async () => {
    const { config, cleanup } = await freshConfig();
    const engines = await Promise.all([1, 2].map(() => startEngine<CronAdapter>('cron', config)));
    const [one, other] = engines.map(({ adapter }) => adapter) as [CronAdapter, CronAdapter];
    const server = await sharedServer();
    const members = `{${config.prefix}}:members`;
    try {
      const [lost, kept] = [runOf('lost', 1_000), runOf('kept', 2_000)];
      await one.claim([lost], LEASE_MS);
      await other.claim([kept], LEASE_MS);
      expect(await other.orphans()).to.deep.equal([]);
      const holder = String(await ask(server, 'HGET', `{${config.prefix}}:c:r:lost`, 'holder'));
      await ask(server, 'HDEL', members, holder);
      const orphans = await eventually('an orphan', () => other.orphans(), ({ length }) => length > 0, 60_000);
      expect(orphans).to.deep.equal([lost]);
      expect(await other.takeOver(lost, LEASE_MS)).to.deep.equal({ ...lost, attempt: 2 });
      await eventually('another membership', () => ask(server, 'HLEN', members), (count) => count === 2, 60_000);
      await one.finish([{ ...lost, status: 'failed' }]);
      await one.renew([lost.id], LEASE_MS);
      expect((await other.running(KEY)).map(({ id, attempt }) => [id, attempt])).to.deep.equal([['lost', 2], ['kept', 1]]);
      await other.finish([{ ...lost, attempt: 2, status: 'succeeded' }]);
      expect((await one.runs(KEY, 10)).map(({ id, status }) => [id, status])).to.deep.equal([['kept', 'running'], ['lost', 'succeeded']]);
    } finally {
      await Promise.all(engines.map((engine) => engine.stop()));
      await cleanup();
    }
  });

  withServer.it('are not claimed or taken over by it before it is a member again', async () => {
    const { config, cleanup } = await freshConfig();
    const engines = await Promise.all([1, 2].map(() => startEngine<CronAdapter>('cron', config)));
    const [one, other] = engines.map(({ adapter }) => adapter) as [CronAdapter, CronAdapter];
    const server = await sharedServer();
    const [members, layout] = ['members', 'layout'].map((name) => `{${config.prefix}}:${name}`) as [string, string];
    try {
      const [orphan, tick] = [runOf('orphan', 1_000), runOf('tick', 2_000)];
      await other.claim([orphan], LEASE_MS);
      await other.finish([orphan]);
      // No engine joins a store of a newer version.
      await ask(server, 'SET', layout, 99);
      await ask(server, 'DEL', members);
      for (const asked of [one.claim([tick], LEASE_MS), one.takeOver(orphan, LEASE_MS)]) expect((await errorOf(asked)).message).to.match(/took this one for gone/);
      await ask(server, 'SET', layout, 1);
      const claimed = await eventually('another membership', () => one.claim([tick], LEASE_MS).catch(() => []), ({ length }) => length > 0, 60_000);
      expect(claimed).to.deep.equal(['claimed']);
      expect(await other.orphans()).to.deep.equal([orphan]);
      expect(await one.takeOver(orphan, LEASE_MS)).to.deep.equal({ ...orphan, attempt: 2 });
    } finally {
      await Promise.all(engines.map((engine) => engine.stop()));
      await cleanup();
    }
  });
});
