import type { Logger, NewMessage } from '@treadle/api';
import { errorOf, eventually, fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import pg from 'pg';
import { PgStore } from '../store/pg-store.js';
import { freshConfig, withServer } from '../testing/kit.fixture.js';
import { QueueStore } from './queue-store.js';

const KEY = { step: 'a', topic: 't' };
const LEASE_MS = 600_000;
const MESSAGE: NewMessage = { id: 'm1', topic: 't', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: Date.now() };
const QUIET: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => QUIET };

withServer.describe('a claim whose connection is lost before PostgreSQL carries it out', () => {
  withServer.it('does not hold what it takes afterwards until its lease ends', async () => {
    const { config, cleanup } = await freshConfig();
    const clock = fakeClock(Date.now());
    const store = await PgStore.open({ config, clock, log: QUIET, engine: 'e' });
    const queue = await QueueStore.open(store, clock, QUIET);
    const other = new pg.Client({ connectionString: config.url, options: `-c search_path=${config.schema}` });
    await other.connect();
    const count = async (sql: string): Promise<number> => (await other.query(sql)).rowCount ?? 0;
    await queue.changeSubscriptions([{ action: 'put', subscription: { ...KEY, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
    await queue.enqueuer.enqueueMany([[MESSAGE]], { maxWaiting: 10 });
    const claim = (): ReturnType<typeof queue.claimer.claimMany> => queue.claimer.claimMany([{ ...KEY, max: 1, total: 1 }], LEASE_MS);
    const number = queue.work.list.get(KEY)?.number ?? 0;

    await other.query('SELECT pg_advisory_lock(store_key(), $1)', [-number]);
    const lost = errorOf(claim());
    await eventually('a claim that waits', () => count("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"), Boolean, 60_000);
    store.connections.suspend('as planned');
    await lost;
    let beats = 0;
    store.listen({ beat: () => Promise.resolve(void (beats += 1)) });
    await eventually('two beats', () => beats, (n) => n >= 2, 60_000);
    await other.query('SELECT pg_advisory_unlock(store_key(), $1)', [-number]);
    await eventually('the claim', () => count('SELECT 1 FROM queue_deliveries WHERE state = 3'), Boolean, 60_000);

    const [again] = await eventually('another claim', claim, ({ length }) => length === 1, 60_000);
    expect(again?.messageId).to.equal(MESSAGE.id);
    await other.end();
    await queue.close();
    await store.close();
    await cleanup();
  });
});
