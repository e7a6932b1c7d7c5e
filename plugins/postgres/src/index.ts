import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { PostgresQueueAdapter } from './queue/queue.adapter.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { PostgresQueueAdapter } from './queue/queue.adapter.js';
export { PostgresConfig } from './store/store.config.js';

export default definePlugin({ name, version, api: '^0.1.0', adapters: [PostgresQueueAdapter] });
