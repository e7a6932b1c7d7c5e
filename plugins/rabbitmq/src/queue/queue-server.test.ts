import type { QueueAdapter } from '@treadle/api';
import { queueServerSuite, type RunningAdapter, type ServerProcess } from '@treadle/testing';
import { freshConfig, type KitConfig, startEngine, withServer } from '../testing/kit.fixture.js';
import { queuesOf, queuesSettled, startRabbit } from '../testing/server.fixture.js';

/** Set for the long form. */
const KILLS = process.env['TREADLE_RABBITMQ_KILLS'];

let config: Promise<KitConfig> | undefined;

/** The first engine of a server makes the queue that the tests use. */
async function startQueue(url: string): Promise<RunningAdapter<QueueAdapter>> {
  const { name, store, ...settings } = await (config as Promise<KitConfig>);
  const running = await startEngine({ ...settings, name, store, port: Number(new URL(url).port) });
  if ((await running.adapter.subscriptions()).length > 0) return running;
  await running.adapter.changeSubscriptions([{ action: 'put', subscription: { step: 'a', topic: 't', application: 'app', fifo: false, delayMs: 0, settings: '' } }]);
  await running.adapter.statistics();
  await queuesSettled();
  return running;
}

queueServerSuite({
  startServer: async () => {
    const server: ServerProcess = await startRabbit();
    config = freshConfig(server).then((fresh) => fresh.config);
    await config;
    return server;
  },
  startQueue,
  claimed: async (server) => (await queuesOf(server, 'treadle.')).reduce((sum, { messages_unacknowledged: count = 0 }) => sum + count, 0),
  unreachable: /^RabbitMQ 127\.0\.0\.1:\d+ cannot be reached: /,
  lacks: ['places', 'pages', 'ages', 'settlements'],
  kills: Number(KILLS ?? 2),
  ...KILLS !== undefined && { told: (figures) => void process.stdout.write(`${JSON.stringify(figures)}\n`) },
}, withServer);
