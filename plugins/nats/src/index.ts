import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { NatsCronAdapter } from './cron/cron.adapter.js';
import { NatsQueueAdapter } from './queue/queue.adapter.js';
import { NatsStateAdapter } from './state/state.adapter.js';
import { NatsStreamAdapter } from './stream/stream.adapter.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { NatsCronAdapter } from './cron/cron.adapter.js';
export { NatsQueueAdapter } from './queue/queue.adapter.js';
export { NatsStateAdapter } from './state/state.adapter.js';
export { NatsStreamAdapter } from './stream/stream.adapter.js';
export { NatsConfig } from './store/store.config.js';

export default definePlugin({ name, version, api: '^0.1.0', adapters: [NatsQueueAdapter, NatsStateAdapter, NatsStreamAdapter, NatsCronAdapter] });
