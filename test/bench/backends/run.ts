// Queue, state and streams of each backend against raw clients and peers on the same server, in turns, medians over the rounds, ratios within the same
// round: npm run bench:backends -- [--rounds 5] [--seconds 1.5] [--only postgres,redis,rabbitmq,nats].
import { runItems } from '../blocks/src/run-items.js';
import { natsItem } from './src/nats.js';
import { POSTGRES_SETTINGS, postgresItem } from './src/postgres.js';
import { rabbitMqItem } from './src/rabbitmq.js';
import { redisItem } from './src/redis.js';

await runItems({
  name: 'backends',
  items: { postgres: postgresItem, redis: redisItem, rabbitmq: rabbitMqItem, nats: natsItem },
  peers: ['pg', 'pg-boss', 'graphile-worker', 'ioredis', 'bullmq', 'amqplib', '@nats-io/kv', '@nats-io/jetstream'],
  defaults: ['--rounds', '5', '--seconds', '1.5'],
  facts: [
    `PostgreSQL: ${POSTGRES_SETTINGS.join(', ')}. Redis: appendonly yes, appendfsync always. RabbitMQ: quorum queues, publisher confirms. NATS: JetStream in files.`,
    'Treadle: treadle-engine, a Step that sends and one that handles, in process (InProcess), telemetry as shipped. All servers and sides on this machine.',
  ],
});
