import { definePlugin } from '@treadle/api';
import { CronModule } from './cron.module.js';

export { CronModule } from './cron.module.js';
export type { CronConfig } from './cron.config.js';

export default definePlugin({ name: '@treadle/module-cron', version: '0.1.0', api: '^0.1.0', modules: [CronModule] });
