import { type QueueAdapter, type TransferContext, TreadleError } from '@treadle/api';
import { eventually, TcpProxy } from '@treadle/testing';
import { expect } from 'chai';
import { queueTransfer } from '../queue/queue-transfer.js';
import { Connections } from '../store/connections.js';
import type { PostgresConfig } from '../store/store.config.js';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { PostgresTransfer } from './postgres-transfer.js';

const MEMBERS = 'SELECT member FROM members';
/** A copy has looked who uses the schema, and waits. */
const WAITS = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_advisory_unlock%'";

withServer.describe('a schema that is copied', () => {
  /** Opens the queue of a schema to be copied, and closes it again. */
  async function openAndClose(config: PostgresConfig): Promise<void> {
    const closes: (() => unknown)[] = [];
    const shared = async <T>(_key: string, open: () => Promise<T>, close: (made: T) => unknown): Promise<T> => {
      const made = await open();
      closes.push(() => close(made));
      return made;
    };
    await PostgresTransfer.open({ shared } as unknown as TransferContext, config, queueTransfer);
    for (const close of closes) await close();
  }

  async function withSchema(body: (config: PostgresConfig, schema: Connections) => Promise<void>): Promise<void> {
    const { config, cleanup } = await freshConfig();
    const schema = new Connections({ ...config, pool_size: 1 }, () => undefined);
    try {
      await body(config, schema);
    } finally {
      await schema.close();
      await cleanup();
    }
  }

  withServer.it('is refused to a copy that begins before a living engine has its connection again', () => withSchema(async (config, schema) => {
    const { port } = new URL(config.url ?? '');
    const proxy = await TcpProxy.start(Number(port));
    const { stop } = await startEngine<QueueAdapter>('queue', { ...config, url: config.url?.replace(`:${port}/`, `:${proxy.port}/`) ?? '' });
    const before = await schema.rows(MEMBERS);
    proxy.cut();
    const copied = openAndClose(config).then(() => undefined, (error: unknown) => error);
    await Promise.race([copied, eventually('a copy that waits', () => schema.rows(WAITS), ({ length }) => length > 0, 60_000)]);
    proxy.restore();
    expect(await copied).to.be.instanceOf(TreadleError).with.property('code', 'STORE_IN_USE');
    expect(await schema.rows(MEMBERS), 'its membership').to.deep.equal(before);
    await stop();
    await proxy.stop();
    await openAndClose(config);
  }));

  withServer.it('takes the place of an engine that was killed', () => withSchema(async (config, schema) => {
    await schema.rows("INSERT INTO members (engine, seen_at) VALUES ('killed', store_time())");
    await openAndClose(config);
    expect(await schema.rows(MEMBERS)).to.deep.equal([]);
  }));
});
