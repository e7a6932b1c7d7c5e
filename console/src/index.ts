import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { ConsoleModule } from './console.module.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { ConsoleModule } from './console.module.js';
export { ConsoleConfig } from './console.config.js';

export default definePlugin({ name, version, api: '^0.1.0', modules: [ConsoleModule] });
