import type { NewMessage, QueueAdapter } from '@treadle/api';
import { eventually } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { query } from '../testing/server.fixture.js';
import { Connections } from './connections.js';

const KEY = { step: 'a', topic: 't' };
const LEASE_MS = 60_000;
const MESSAGE: NewMessage = { id: 'm1', topic: 't', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: Date.now() };

withServer.describe('an engine that was taken for dead', () => {
  withServer.it('joins again under another number, votes again, and has lost what it had claimed', async () => {
    const { config, cleanup } = await freshConfig();
    const { adapter: queue, stop } = await startEngine<QueueAdapter>('queue', config);
    const tables = (sql: string): Promise<{ readonly member: number }[]> => query(config.url ?? '', sql.replaceAll('@', `${config.schema}.`));
    await queue.changeSubscriptions([{ action: 'put', subscription: { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
    await queue.enqueueMany([[MESSAGE]], { maxWaiting: 10 });
    const [lost] = await queue.claimMany([{ ...KEY, max: 1 }], LEASE_MS);
    const [before] = await tables('SELECT member FROM @members');
    await tables(`SET search_path = ${config.schema}; SELECT member_end(${before?.member}, false)`);
    expect(await queue.settleMany([{ action: 'done', claim: lost! }])).to.deep.equal([false]);
    const [after] = await eventually('another membership', () => tables('SELECT member FROM @members'), ({ length }) => length === 1, 60_000);
    expect(Number(after?.member)).to.be.above(Number(before?.member));
    await eventually('its vote', () => tables(`SELECT member FROM @queue_votes WHERE ended_at IS NULL AND member = ${after?.member}`), ({ length }) => length === 1, 60_000);
    const [again] = await eventually('the delivery', () => queue.claimMany([{ ...KEY, max: 1 }], LEASE_MS), ({ length }) => length === 1, 60_000);
    expect(again?.epoch).to.not.equal(lost?.epoch);
    expect(await queue.settleMany([{ action: 'done', claim: lost! }, { action: 'done', claim: again! }])).to.deep.equal([false, true]);
    await stop();
    expect(await tables('SELECT member FROM @members')).to.deep.equal([]);
    await cleanup();
  });

  withServer.it('votes again as soon as it can, when it could not at first', async () => {
    const { config, cleanup } = await freshConfig();
    const { adapter: queue, stop } = await startEngine<QueueAdapter>('queue', config);
    const schema = new Connections({ ...config, pool_size: 1 }, () => undefined);
    await queue.changeSubscriptions([{ action: 'put', subscription: { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
    const [before] = await schema.rows<{ member: number }>('SELECT member FROM members');
    await schema.rows('ALTER TABLE queue_votes RENAME COLUMN number TO aside');
    await schema.rows('DELETE FROM members');
    const [after] = await eventually('another membership, and a beat', () => schema.rows<{ member: number }>('SELECT member FROM members WHERE beat > 0'), ({ length }) => length === 1, 60_000);
    expect(after?.member).to.be.above(before?.member ?? 0);
    await schema.rows('ALTER TABLE queue_votes RENAME COLUMN aside TO number');
    await eventually('its vote', () => schema.rows('SELECT 1 FROM queue_votes WHERE ended_at IS NULL AND member = $1', [after?.member]), ({ length }) => length === 1, 60_000);
    await stop();
    await schema.close();
    await cleanup();
  });
});
