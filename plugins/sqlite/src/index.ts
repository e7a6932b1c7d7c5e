import { createRequire } from 'node:module';
import { definePlugin } from '@treadle/api';
import { SqliteStateAdapter } from './state/state.adapter.js';

const { name, version } = createRequire(import.meta.url)('../package.json') as { name: string; version: string };

export { SqliteStateAdapter } from './state/state.adapter.js';
export { SqliteStateConfig } from './state/state.config.js';

export default definePlugin({ name, version, api: '^0.1.0', adapters: [SqliteStateAdapter] });
