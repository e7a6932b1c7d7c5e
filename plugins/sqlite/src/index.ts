import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { SqliteCronAdapter } from './cron/cron.adapter.js';
import { SqliteQueueAdapter } from './queue/queue.adapter.js';
import { SqliteStateAdapter } from './state/state.adapter.js';
import { SqliteStreamAdapter } from './stream/stream.adapter.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { SqliteCronAdapter } from './cron/cron.adapter.js';
export { SqliteCronConfig } from './cron/cron.config.js';
export { SqliteQueueAdapter } from './queue/queue.adapter.js';
export { SqliteQueueConfig } from './queue/queue.config.js';
export { checkStore, type StoreCheck } from './salvage/check-store.js';
export { salvageStore, type SalvageReport } from './salvage/salvage-store.js';
export { SqliteStateAdapter } from './state/state.adapter.js';
export { SqliteStateConfig } from './state/state.config.js';
export { SqliteStreamAdapter } from './stream/stream.adapter.js';
export { SqliteStreamConfig } from './stream/stream.config.js';

export default definePlugin({ name, version, api: '^0.1.0', adapters: [SqliteStateAdapter, SqliteQueueAdapter, SqliteStreamAdapter, SqliteCronAdapter] });
