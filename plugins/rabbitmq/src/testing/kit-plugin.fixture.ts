import { definePlugin } from '@treadle/api';
import { PostgresQueueAdapter } from '@treadle/postgres';
import { RabbitMqQueueAdapter } from '../queue/queue.adapter.js';

/* The plugin with that of its second store, as kits import one plugin. */

export default definePlugin({ name: '@treadle/rabbitmq', version: '0.1.0', api: '^0.1.0', adapters: [RabbitMqQueueAdapter, PostgresQueueAdapter] });
