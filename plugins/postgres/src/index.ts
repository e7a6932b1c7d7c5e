import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { PostgresCronAdapter } from './cron/cron.adapter.js';
import { PostgresQueueAdapter } from './queue/queue.adapter.js';
import { PostgresStateAdapter } from './state/state.adapter.js';
import { PostgresStreamAdapter } from './stream/stream.adapter.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { PostgresCronAdapter } from './cron/cron.adapter.js';
export { PostgresQueueAdapter } from './queue/queue.adapter.js';
export { PostgresStateAdapter } from './state/state.adapter.js';
export { PostgresStreamAdapter } from './stream/stream.adapter.js';
export { PostgresConfig } from './store/store.config.js';

export default definePlugin({ name, version, api: '^0.1.0', adapters: [PostgresCronAdapter, PostgresQueueAdapter, PostgresStateAdapter, PostgresStreamAdapter] });
