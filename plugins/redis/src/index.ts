import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { RedisCronAdapter } from './cron/cron.adapter.js';
import { RedisQueueAdapter } from './queue/queue.adapter.js';
import { RedisStateAdapter } from './state/state.adapter.js';
import { RedisStreamAdapter } from './stream/stream.adapter.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { RedisCronAdapter } from './cron/cron.adapter.js';
export { RedisQueueAdapter } from './queue/queue.adapter.js';
export { RedisStateAdapter } from './state/state.adapter.js';
export { RedisStreamAdapter } from './stream/stream.adapter.js';
export { RedisConfig } from './store/store.config.js';

export default definePlugin({ name, version, api: '^0.1.0', adapters: [RedisCronAdapter, RedisQueueAdapter, RedisStateAdapter, RedisStreamAdapter] });
