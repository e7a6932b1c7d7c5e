import { definePlugin } from '@treadle/api';
import { KvStore } from './kv-store.adapter.js';
import { KvStreamAdapter } from './kv-stream.adapter.js';

export { KvStore } from './kv-store.adapter.js';
export { KvStreamAdapter } from './kv-stream.adapter.js';
export type { KvStoreConfig } from './kv-store.config.js';

export default definePlugin({ name: '@treadle/plugin-keyv', version: '0.1.0', api: '^0.1.0', adapters: [KvStore, KvStreamAdapter] });
