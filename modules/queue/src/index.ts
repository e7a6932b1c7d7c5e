import { definePlugin } from '@treadle/api';
import { QueueModule } from './queue.module.js';

export { QueueModule } from './queue.module.js';
export type { QueueConfig } from './queue.config.js';
export type { QueueErrorCode } from './queue-errors.js';

export default definePlugin({ name: '@treadle/module-queue', version: '0.1.0', api: '^0.1.0', modules: [QueueModule] });
