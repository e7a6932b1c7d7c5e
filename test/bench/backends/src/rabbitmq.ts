import { startPostgres } from '../../../../plugins/postgres/src/testing/server.fixture.js';
import { startRabbit } from '../../../../plugins/rabbitmq/src/testing/server.fixture.js';
import { startPeer } from '../../blocks/src/contestant-process.js';
import type { ItemOptions, ItemResult } from '../../blocks/src/item.js';
import { startBlocks } from '../../blocks/src/treadle-blocks.js';
import { measure } from './measurement.js';
import { POSTGRES_SETTINGS, postgresAdapters } from './postgres.js';
import { queueMeasurement } from './queue-measurement.js';

/** Quorum queues with confirms, against amqplib alone. */
export async function rabbitMqItem(options: ItemOptions): Promise<readonly ItemResult[]> {
  const [server, second] = await Promise.all([startRabbit(), startPostgres(POSTGRES_SETTINGS)]);
  const { plugins, queue: store } = postgresAdapters(second.url);
  const queue = { class: 'modules::queue::adapters::RabbitMq', config: { port: server.port, store } };
  try {
    return [
      await measure(queueMeasurement('RabbitMQ, queue', [
        { id: 'ours', name: 'Treadle, ctx.enqueue', start: () => startBlocks({ backend: { plugins: ['@treadle/rabbitmq', ...plugins], queue } }) },
        { id: 'raw', name: 'amqplib, the same confirms', start: () => startPeer('rabbitmq-queue.mjs', server.url) },
      ], [{ what: 'RabbitMQ queue, against amqplib', side: 'ours', figure: 'perSecond', against: 'raw', atLeast: 0.7 }]), options),
    ];
  } finally {
    await Promise.all([server.stop(), second.stop()]);
  }
}
