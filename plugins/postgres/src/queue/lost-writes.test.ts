import { type NewMessage, type QueueAdapter, StoreClock } from '@treadle/api';
import { errorOf, fakeClock, type RunningAdapter } from '@treadle/testing';
import { expect } from 'chai';
import type { PgStore } from '../store/pg-store.js';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { query } from '../testing/server.fixture.js';
import { QueueWork } from './queue-work.js';

const QUIET = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => QUIET };
const A_MINUTE_LATER = `CREATE OR REPLACE FUNCTION @store_time() RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 60000 $$`;
const MESSAGE: NewMessage = { id: 'm1', topic: 'kept', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: Date.now() };

async function subscribe(queue: QueueAdapter, step: string): Promise<void> {
  await queue.changeSubscriptions([{ action: 'put', subscription: { step, topic: step, application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
}

withServer.describe('a replica of PostgreSQL that has taken over without the last writes', () => {
  let engine: RunningAdapter<QueueAdapter>;
  let cleanup: () => Promise<void>;
  let sql: (text: string) => Promise<Record<string, unknown>[]>;
  const versionOf = async (): Promise<unknown> => (await sql('SELECT version FROM @queue_version'))[0]?.['version'];
  const numberOf = async (step: string): Promise<number> => Number((await sql(`SELECT number FROM @queue_subscriptions WHERE step = '${step}'`))[0]?.['number']);

  beforeEach(async () => {
    const fresh = await freshConfig();
    ({ cleanup } = fresh);
    sql = (text) => query(fresh.config.url ?? '', text.replaceAll('@', `${fresh.config.schema}.`));
    engine = await startEngine<QueueAdapter>('queue', fresh.config);
    await subscribe(engine.adapter, 'kept');
  });

  afterEach(async () => {
    await engine.stop();
    await cleanup();
  });

  withServer.it('takes messages for the subscriptions that it has', async () => {
    await sql('UPDATE @queue_version SET version = version - 1');
    expect(await engine.adapter.enqueueMany([[MESSAGE]], { maxWaiting: 10 })).to.have.nested.property('0.ok', true);
  });

  withServer.it('gives no version and no number that was lost', async () => {
    const [before] = await sql('SELECT version FROM @queue_version');
    await subscribe(engine.adapter, 'lost');
    const [version, number] = [await versionOf(), await numberOf('lost')];
    await sql(`UPDATE @queue_version SET version = ${String(before?.['version'])}`);
    await sql("DELETE FROM @queue_subscriptions WHERE step = 'lost'");
    await sql(`ALTER TABLE @queue_subscriptions ALTER number RESTART WITH ${String(await numberOf('kept') + 1)}`);
    await sql(A_MINUTE_LATER);
    await subscribe(engine.adapter, 'new');
    expect(await versionOf()).to.not.equal(version);
    expect(await numberOf('new')).to.not.equal(number);
  });
});

describe('work by the subscriptions of a PostgreSQL schema', () => {
  it('is given up when the subscriptions change each time before it is done', async () => {
    const clock = fakeClock();
    const rows = async (): Promise<[]> => {
      await new Promise(setImmediate);
      return [];
    };
    const store = { time: new StoreClock(clock), connections: { database: 'PostgreSQL', rows } };
    const work = new QueueWork(store as unknown as PgStore, clock, QUIET);
    expect(await errorOf(work.current(() => Promise.resolve(undefined)))).to.have.property('code', 'StorageFailed');
    work.close();
  });
});
