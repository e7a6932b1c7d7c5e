import { DURABLE, startRedis } from '../../../../plugins/redis/src/testing/server.fixture.js';
import { type Contestant, startPeer } from '../../blocks/src/contestant-process.js';
import type { ItemOptions, ItemResult } from '../../blocks/src/item.js';
import { startBlocks } from '../../blocks/src/treadle-blocks.js';
import { measure } from './measurement.js';
import { filled, operationsMeasurement } from './operations-measurement.js';
import { queueMeasurement } from './queue-measurement.js';

/** Queue against BullMQ, state against ioredis, all on one server that syncs each write. */
export async function redisItem(options: ItemOptions): Promise<readonly ItemResult[]> {
  const server = await startRedis({ ...DURABLE, 'maxmemory-policy': 'noeviction' });
  const port = String(server.port);
  const ours = (prefix: string): Promise<Contestant> => {
    const config = { port: server.port, prefix };
    return startBlocks({ backend: { plugins: ['@treadle/redis'], queue: { class: 'modules::queue::adapters::Redis', config }, state: { class: 'modules::state::adapters::Redis', config } } });
  };
  try {
    return [
      await measure(queueMeasurement('Redis, queue', [
        { id: 'ours', name: 'Treadle, ctx.enqueue', start: () => ours('queue') },
        { id: 'streams', name: 'raw ioredis, a stream', start: () => startPeer('redis-streams.mjs', port) },
        { id: 'bullmq', name: 'BullMQ', start: () => startPeer('bullmq.mjs', port), outstanding: 300 },
      ], [{ what: 'Redis queue, against BullMQ', side: 'ours', figure: 'perSecond', against: 'bullmq', atLeast: 3 }]), options),
      await measure(operationsMeasurement('Redis, state', ['get', 'set'], [
        { id: 'ours', name: 'Treadle, ctx.state', start: () => filled(ours('state')) },
        { id: 'raw', name: 'raw ioredis, pipelined', start: () => startPeer('redis-state.mjs', port) },
      ], [{ what: 'Redis state.get, against ioredis', side: 'ours', figure: 'get', against: 'raw', atLeast: 0.8 }]), options),
    ];
  } finally {
    await server.stop();
  }
}
