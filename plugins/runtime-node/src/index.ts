import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { InProcessAdapter } from './in-process.adapter.js';
import { NodeAdapter } from './node.adapter.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { InProcessAdapter } from './in-process.adapter.js';
export { NodeAdapter } from './node.adapter.js';
export { NodeConfig } from './node.config.js';

export default definePlugin({ name, version, api: '^0.1.0', adapters: [NodeAdapter, InProcessAdapter] });
