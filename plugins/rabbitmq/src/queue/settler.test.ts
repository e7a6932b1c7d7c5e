import type { QueueAdapter, QueueDelivery } from '@treadle/api';
import { errorOf, eventually, TcpProxy } from '@treadle/testing';
import { expect } from 'chai';
import { bench, claim, done, LEASE_MS, LIMITS, message, subscribe } from '../testing/bench.fixture.js';
import { withServer } from '../testing/kit.fixture.js';

const claimOrdered = (queue: QueueAdapter): Promise<readonly QueueDelivery[]> => queue.claimMany([{ step: 'f', topic: 'f', max: 10 }], LEASE_MS);

withServer.describe('ends of deliveries while RabbitMQ is away', () => {
  withServer.it('are written as far as they are the second store\'s, once, and the next one of a group follows', () => bench(async ({ server, start }) => {
    const proxy = await TcpProxy.start(server.port);
    try {
      const queue = await start(proxy.port);
      await subscribe(queue, 'f', { topic: 'f', fifo: true });
      const [carried, first, second] = [message(), message({ topic: 'f', groupId: 'g' }), message({ topic: 'f', groupId: 'g' })];
      await queue.enqueueMany([[carried], [first], [second]], LIMITS);
      const held = [...await claim(queue), ...await claimOrdered(queue)];
      expect(held.map(({ messageId }) => messageId)).to.deep.equal([carried.id, first.id]);
      proxy.cut();
      expect(await errorOf(queue.settleMany(done(held.slice(0, 1)))), 'which voids the claim').to.have.property('code', 'StorageUnavailable');
      expect(await errorOf(queue.settleMany(done(held)))).to.have.property('code', 'StorageUnavailable');
      expect((await claimOrdered(queue)).map(({ messageId }) => messageId)).to.deep.equal([second.id]);
      proxy.restore();
      expect(await eventually('an answer', () => queue.settleMany(done(held)).catch(() => undefined))).to.deep.equal([false, true]);
      expect(await queue.settleMany(done(held)), 'once more').to.deep.equal([false, false]);
    } finally {
      await proxy.stop();
    }
  }));
});
