import type { QueueAdapter } from '@treadle/api';
import { errorOf, eventually, queueServerSuite } from '@treadle/testing';
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
