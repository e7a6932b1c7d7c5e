import { errorOf, type ServerProcess } from '@treadle/testing';
import { expect } from 'chai';
import { startEngine, withServer } from '../testing/kit.fixture.js';
import { ask, DURABLE, type ServerSettings, startRedis } from '../testing/server.fixture.js';
import { REDIS_DEFAULTS, type RedisConfig } from './store.config.js';

type Failure = Error & { code?: string; hint?: string };

async function withTestServer<T>(settings: ServerSettings, body: (server: ServerProcess) => Promise<T>): Promise<T> {
  const server = await startRedis(settings);
  try {
    return await body(server);
  } finally {
    await server.stop();
  }
}

const failure = (server: ServerProcess, config: Partial<RedisConfig> = {}): Promise<Failure> => errorOf(startEngine('queue', { ...REDIS_DEFAULTS, port: server.port, ...config }));

withServer.describe('the checks of a server', () => {
  withServer.it('refuse one that forgets keys, and name the setting', () => withTestServer({ 'maxmemory-policy': 'allkeys-lru' }, async (server) => {
    const error = await failure(server);
    expect([error.code, error.message]).to.deep.equal(['SERVICE_UNAVAILABLE',
      `Redis 127.0.0.1:${server.port}/0 cannot be used: it removes keys when its memory is full (maxmemory-policy allkeys-lru)`]);
    expect(error.hint).to.match(/^run "CONFIG SET maxmemory-policy noeviction"/);
  }));

  withServer.it('refuse a weak one where durability is strict, and start on it where it is not', async () => {
    await withTestServer({}, async (server) => {
      const error = await failure(server, { durability: 'strict' });
      expect(error.message).to.match(/it may lose what it has acknowledged: appendonly is off: a crash of the server loses what was written/);
      await (await startEngine('queue', { ...REDIS_DEFAULTS, port: server.port })).stop();
      await ask(server, 'CONFIG', 'SET', 'appendonly', 'yes');
      expect((await failure(server, { durability: 'strict' })).message).to.match(/appendfsync is everysec: a crash of the machine loses about the last second$/);
    });
    await withTestServer(DURABLE, async (server) => (await startEngine('queue', { ...REDIS_DEFAULTS, port: server.port, durability: 'strict' })).stop());
  });

  withServer.it('refuse a replica, and name the primary server', () => withTestServer({}, (primary) => (
    withTestServer({ replicaof: `127.0.0.1 ${primary.port}` }, async (replica) => {
      expect(await failure(replica)).to.include({ hint: `name the primary server: 127.0.0.1:${primary.port}` });
    }))));

  withServer.it('name a wrong password, a wrong number of a database, and a server that does not listen', () => withTestServer({ requirepass: 'right' }, async (server) => {
    const hint = 'set username and password, e.g. password: ${REDIS_PASSWORD}';
    expect(await failure(server)).to.include({ hint });
    const wrong = await failure(server, { password: 'wrong-one' });
    expect(wrong).to.include({ hint });
    expect(wrong.message).to.not.contain('wrong-one');
    const url = `redis://:right@127.0.0.1:${server.port}`;
    expect((await failure(server, { url: `${url}/900` })).message).to.match(/it has no database of this number$/);
    await (await startEngine('queue', { ...REDIS_DEFAULTS, url: `${url}/3` })).stop();
    expect((await failure(server, { port: 1 })).message).to.match(/ECONNREFUSED/);
  }));

  withServer.it('refuse a store that a newer version has written', () => withTestServer({}, async (server) => {
    await ask(server, 'SET', '{mine}:layout', 99);
    expect(await failure(server, { prefix: 'mine' })).to.include({ code: 'STORE_NEWER' });
  }));

  withServer.it('fail what too few replicas have', () => withTestServer({}, async (server) => {
    expect((await failure(server, { wait_replicas: 1 })).message).to.match(/NOREPLICAS 0 of 1 replicas have it/);
  }));
});
