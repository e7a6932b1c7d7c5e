import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { RabbitMqQueueAdapter } from './queue/queue.adapter.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { RabbitMqQueueAdapter } from './queue/queue.adapter.js';
export { RabbitMqConfig } from './server/rabbit.config.js';

export default definePlugin({ name, version, api: '^0.1.0', adapters: [RabbitMqQueueAdapter] });
