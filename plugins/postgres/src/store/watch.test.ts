import type { Logger } from '@treadle/api';
import { errorOf, eventually, fakeClock, TcpProxy } from '@treadle/testing';
import { expect } from 'chai';
import { freshConfig, withServer } from '../testing/kit.fixture.js';
import { PgStore } from './pg-store.js';

const QUIET: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined, child: () => QUIET };

/** A store whose server becomes silent right after a beat, while a listener asks it something. */
async function silenced(body: (store: PgStore) => Promise<void>): Promise<void> {
  const { config, cleanup } = await freshConfig();
  const url = new URL(config.url ?? '');
  const proxy = await TcpProxy.start(Number(url.port || 5432));
  const store = await PgStore.open({ config: { ...config, url: Object.assign(url, { port: String(proxy.port) }).href }, clock: fakeClock(Date.now()), log: QUIET, engine: 'e' });
  let silent = false;
  store.listen({
    beat: async () => {
      if (silent) return;
      // The connection that waits for an answer was there before.
      await store.connections.rows('SELECT 1');
      silent = true;
      proxy.silence();
      await store.connections.rows('SELECT 1');
    },
  });
  await eventually('silence', () => silent, Boolean, 60_000);
  await body(store);
  await store.close();
  await proxy.stop();
  await cleanup();
}

withServer.describe('a PostgreSQL server that is silent while an engine looks after it', () => {
  withServer.it('is seen to be away: calls fail', () => silenced(async ({ connections }) => {
    expect(await errorOf(connections.rows('SELECT 1'))).to.have.property('code', 'StorageUnavailable');
  }));

  withServer.it('does not keep the engine from its end', () => silenced(() => Promise.resolve()));
});
