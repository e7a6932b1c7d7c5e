import { definePlugin } from '@treadle/api';
import { StreamModule } from './stream.module.js';

export { StreamModule } from './stream.module.js';
export type { StreamConfig } from './stream.config.js';
export type { StreamErrorCode } from './stream-errors.js';

export default definePlugin({ name: '@treadle/module-stream', version: '0.1.0', api: '^0.1.0', modules: [StreamModule] });
