import type { NewMessage, QueueAdapter, QueueDelivery, Settlement } from '@treadle/api';
import { expect } from 'chai';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { query } from '../testing/server.fixture.js';

const MESSAGES = 2_000;
const KEY = { step: 'Ship', topic: 'order.placed' };
const LEASE_MS = 60_000;
const LIMITS = { maxWaiting: 1_000_000 };

/** What indexes have given so far, of the queue's deliveries. */
const READ = "SELECT coalesce(sum(idx_tup_read), 0)::integer AS read FROM pg_stat_all_indexes WHERE schemaname = $1 AND relname = 'queue_deliveries'";

withServer.describe('plans of the queue', () => {
  withServer.it('find each delivery by itself, though the planner takes the table for empty', async () => {
    const { config, cleanup } = await freshConfig();
    const { url = '', schema } = config;
    const { adapter, stop } = await startEngine<QueueAdapter>('queue', config);
    try {
      await adapter.changeSubscriptions([{ action: 'put', subscription: { ...KEY, application: 'a', fifo: false, delayMs: 0, settings: '{}' } }]);
      await through(adapter);
      await query(url, `VACUUM (ANALYZE, TRUNCATE false) ${schema}.queue_deliveries`);
      await through(adapter);
    } finally {
      await stop();
    }
    const [row] = await query<{ read: number }>(url, READ, [schema]);
    await cleanup();
    // Six of each message: it is claimed, renewed and ended. Plans that go through all claims read 22.
    expect(row?.read).to.be.within(MESSAGES, MESSAGES * 2 * 10);
  });
});

/** Enqueues, claims, renews and settles. */
async function through(adapter: QueueAdapter): Promise<void> {
  await adapter.enqueueMany(Array.from({ length: MESSAGES }, (_, n) => [message(n)]), LIMITS);
  const claimed: QueueDelivery[] = [];
  while (claimed.length < MESSAGES) claimed.push(...await adapter.claimMany([{ ...KEY, max: 500 }], LEASE_MS));
  expect(await adapter.renewMany(claimed, LEASE_MS)).to.deep.equal(claimed.map(() => true));
  const settled = await adapter.settleMany(claimed.map((claim, n): Settlement => (n % 10 === 0
    ? { claim, action: 'dead', reason: 'max_attempts', at: Date.now(), progress: claim.progress } : { claim, action: 'done' })));
  expect(settled).to.deep.equal(claimed.map(() => true));
}

function message(n: number): NewMessage {
  return { id: `m-${Date.now()}-${n}`, topic: KEY.topic, kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: Date.now() };
}
