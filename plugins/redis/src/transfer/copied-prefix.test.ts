import { type QueueAdapter, type StoreTransfer, type TransferContext, TreadleError } from '@treadle/api';
import { errorOf, fakeClock } from '@treadle/testing';
import { expect } from 'chai';
import { queueTransfer } from '../queue/queue-transfer.js';
import type { RedisConfig } from '../store/store.config.js';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { ask } from '../testing/server.fixture.js';
import { sharedServer } from '../testing/shared-server.fixture.js';
import { RedisTransfer } from './redis-transfer.js';

const KEY = { step: 'a', topic: 't' };
const MARK = { text: 'test', complete: false };

withServer.describe('a prefix that is copied', () => {
  /** Opens the queue of a prefix to be copied, and closes it when `work` has ended. */
  async function copying(config: RedisConfig, work: (transfer: StoreTransfer) => Promise<void>): Promise<void> {
    const closes: (() => unknown)[] = [];
    const shared = async <T>(_key: string, open: () => Promise<T>, close: (made: T) => unknown): Promise<T> => {
      const made = await open();
      closes.push(() => close(made));
      return made;
    };
    try {
      await work(await RedisTransfer.open({ clock: fakeClock(Date.now()), shared } as unknown as TransferContext, config, queueTransfer));
    } finally {
      for (const close of closes) await close();
    }
  }

  async function withPrefix(body: (config: RedisConfig, base: string) => Promise<void>): Promise<void> {
    const { config, cleanup } = await freshConfig();
    try {
      await body(config, `{${config.prefix}}:`);
    } finally {
      await cleanup();
    }
  }

  withServer.it('lets no engine in, and engines again afterwards', () => withPrefix(async (config) => {
    await copying(config, async (transfer) => {
      const error = await errorOf(startEngine<QueueAdapter>('queue', config));
      expect(error).to.be.instanceOf(TreadleError).with.property('code', 'STORE_IN_USE');
      await transfer.setMark('from', MARK);
    });
    await (await startEngine<QueueAdapter>('queue', config)).stop();
  }));

  withServer.it('takes the place of an engine that was killed, whose claims are free', () => withPrefix(async (config, base) => {
    const server = await sharedServer();
    await ask(server, 'HSET', `${base}members`, '7', '3 1');
    await copying(config, async () => {
      expect(await ask(server, 'HKEYS', `${base}members`)).to.deep.equal([]);
      expect(await ask(server, 'SMEMBERS', `${base}q:void`)).to.deep.equal(['7']);
    });
  }));

  withServer.it('writes nothing once others may have used it', () => withPrefix(async (config, base) => {
    const server = await sharedServer();
    await copying(config, async (transfer) => {
      await ask(server, 'SET', `${base}copying`, 'of another');
      const rows = [{ ...KEY, application: 'x', fifo: false, delayMs: 0, paused: false, settings: '', retired: false }];
      expect(await errorOf(transfer.importRows({ kind: 'subscription', rows, mark: MARK }))).to.have.property('code', 'STORE_FAILED');
      expect(await transfer.count('subscription')).to.equal(0);
      expect(await transfer.mark('to')).to.equal(undefined);
    });
    expect(await ask(server, 'GET', `${base}copying`), 'that of the other stays').to.equal('of another');
  }));
});
