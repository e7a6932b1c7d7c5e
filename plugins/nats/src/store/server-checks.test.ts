import { DiscardPolicy, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { errorOf } from '@treadle/testing';
import { expect } from 'chai';
import { streamInfo } from '../testing/jet-stream.fixture.js';
import { freshConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { startNats } from '../testing/server.fixture.js';
import { serverUrl } from '../testing/shared-server.fixture.js';
import { NATS_DEFAULTS } from './store.config.js';

withServer.describe('the checks of a NATS server', () => {
  withServer.it('refuse one without JetStream, one that is not there, and one that asks for a password', async () => {
    const plain = await startNats({ jetStream: false });
    const closed = await startNats({ extra: ['--user', 'app', '--pass', 'secret'] });
    try {
      const without = await errorOf(startEngine('state', { ...NATS_DEFAULTS, url: plain.url }));
      expect([without.code, without.message, without.hint]).to.deep.equal(['SERVICE_UNAVAILABLE',
        `NATS ${new URL(plain.url).host} cannot be used: JetStream is not enabled`, 'start the server with -js and a folder (-sd DIR), and let the account use JetStream']);
      expect((await errorOf(startEngine('state', { ...NATS_DEFAULTS, url: 'nats://127.0.0.1:1' }))).message).to.match(/ECONNREFUSED|refused/i);
      expect(await errorOf(startEngine('state', { ...NATS_DEFAULTS, url: closed.url }))).to.have.property('hint').that.matches(/^set user and password/);
      await (await startEngine('state', { ...NATS_DEFAULTS, url: closed.url, user: 'app', password: 'secret' })).stop();
      await (await startEngine('state', { ...NATS_DEFAULTS, url: closed.url.replace('//', '//app:secret@') })).stop();
    } finally {
      await plain.stop();
      await closed.stop();
    }
  });

  withServer.it('refuse more replicas than there are servers, and a stream that lies in memory', async () => {
    const { config, cleanup } = await freshConfig();
    expect((await errorOf(startEngine('state', { ...config, replicas: 3 }))).message).to.match(/stream treadle-\w+-(state|records) cannot be made: replicas > 1 not supported/);
    const connection = await connect({ servers: await serverUrl() });
    await (await jetstreamManager(connection)).streams.add({ name: `treadle-${config.name}-streams`, subjects: [`treadle.${config.name}.e.>`], storage: StorageType.Memory });
    await connection.close();
    expect((await errorOf(startEngine('stream', config))).message).to.match(/stream treadle-\w+-streams lies in memory$/);
    await cleanup();
  });

  for (const [limit, message] of [[{ max_age: 60e9 }, /loses what is older than its max_age$/], [{ max_bytes: 1e6 }, /loses its oldest messages when it is full$/]] as const) {
    withServer.it(`refuse a stream that ${message.source.slice(0, -1)}`, async () => {
      const { config, cleanup } = await freshConfig();
      const connection = await connect({ servers: await serverUrl() });
      await (await jetstreamManager(connection)).streams.add({ name: `treadle-${config.name}-streams`, subjects: [`treadle.${config.name}.e.>`], ...limit });
      await connection.close();
      expect((await errorOf(startEngine('stream', config))).message).to.match(message);
      await cleanup();
    });
  }

  withServer.it('let a stream with a limit refuse what is new', async () => {
    const { config, cleanup } = await freshConfig();
    const engine = await startEngine('state', config);
    expect((await streamInfo(config, 'state')).config.discard).to.equal(DiscardPolicy.New);
    await engine.stop();
    await cleanup();
  });

  withServer.it('refuse a store that a power cut may take something from where durability is strict', async () => {
    const { config, cleanup } = await freshConfig();
    expect((await errorOf(startEngine('state', { ...config, durability: 'strict' }))).message).to.match(/a power cut may take what it has acknowledged: one copy of each stream/);
    await (await startEngine('state', { ...config, durability: 'strict', sync_always: true })).stop();
    await cleanup();
  });

  withServer.it('let one of several engines that start at once make the streams', async () => {
    const { config, cleanup } = await freshConfig();
    const engines = await Promise.all((['state', 'stream', 'state', 'stream'] as const).map((slot) => startEngine(slot, config)));
    await Promise.all(engines.map((engine) => engine.stop()));
    await cleanup();
  });
});
