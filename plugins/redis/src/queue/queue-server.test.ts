import type { QueueAdapter } from '@treadle/api';
import { errorOf, eventually, queueServerSuite, TcpProxy } from '@treadle/testing';
import { expect } from 'chai';
import { REDIS_DEFAULTS } from '../store/store.config.js';
import { startEngine, withServer } from '../testing/kit.fixture.js';
import { ask, DURABLE, startRedis } from '../testing/server.fixture.js';

/** Set for the long form. */
const KILLS = process.env['TREADLE_REDIS_KILLS'];

queueServerSuite({
  startServer: () => startRedis(DURABLE),
  startQueue: (url) => startEngine<QueueAdapter>('queue', { ...REDIS_DEFAULTS, url, durability: 'strict' }),
  claimed: async (server) => (await ask(server, 'KEYS', '*:q:*:held') as string[]).length,
  unreachable: /^Redis 127\.0\.0\.1:\d+\/0 cannot be reached: /,
  kills: Number(KILLS ?? 2),
  ...KILLS !== undefined && { told: (figures) => void process.stdout.write(`${JSON.stringify(figures)}\n`) },
}, withServer);

withServer.describe('a server that does not answer', () => {
  withServer.it('fails calls meanwhile, and works again by itself', async () => {
    const server = await startRedis();
    const { adapter: queue, stop } = await startEngine<QueueAdapter>('queue', { ...REDIS_DEFAULTS, url: server.url });
    const enqueue = (): ReturnType<QueueAdapter['enqueueMany']> => queue.enqueueMany(
      [[{ id: `m${Math.random()}`, topic: 't', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: Date.now() }]], { maxWaiting: 10 });
    try {
      server.hold();
      expect(await errorOf(enqueue())).to.have.property('code', 'StorageUnavailable');
      server.release();
      await eventually('an enqueueing', () => enqueue().catch(() => []), ([outcome]) => outcome?.ok === true, 60_000);
      await ask(server, 'SCRIPT', 'FLUSH');
      expect(await enqueue(), 'by a server that has forgotten the scripts').to.have.nested.property('[0].ok', true);
    } finally {
      await stop();
      await server.stop();
    }
  });
});

withServer.describe('a claim that comes when its engine has given it up', () => {
  withServer.it('claims nothing', async () => {
    const server = await startRedis();
    const proxy = await TcpProxy.start(server.port);
    const { adapter: queue, stop } = await startEngine<QueueAdapter>('queue', { ...REDIS_DEFAULTS, port: proxy.port });
    const beats = async (): Promise<number> => Number.parseInt((await ask(server, 'HVALS', `{${REDIS_DEFAULTS.prefix}}:members`) as string[])[0] ?? '0', 10);
    try {
      await queue.changeSubscriptions([{ action: 'put', subscription: { step: 'a', topic: 't', application: 'x', fifo: false, delayMs: 0, settings: '' } }]);
      await queue.enqueueMany([[{ id: 'm', topic: 't', kind: 'queue', data: '{}', traceparent: '', hops: 0, enqueuedAt: Date.now() }]], { maxWaiting: 10 });
      proxy.delay();
      const claim = (): ReturnType<QueueAdapter['claimMany']> => queue.claimMany([{ step: 'a', topic: 't', max: 1 }], 60_000);
      expect(await errorOf(claim())).to.have.property('code', 'StorageUnavailable');
      proxy.restore();
      const before = await beats();
      await eventually('what an engine does at each beat', beats, (now) => now >= before + 3, 60_000);
      await proxy.arrive();
      expect(await claim()).to.have.length(1);
    } finally {
      await stop();
      await proxy.stop();
      await server.stop();
    }
  });
});
