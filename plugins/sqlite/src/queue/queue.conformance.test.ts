import { queueAdapterSuite } from '@treadle/testing';
import { SqliteQueueAdapter } from './queue.adapter.js';
import type { SqliteQueueConfig } from './queue.config.js';

queueAdapterSuite({
  adapter: SqliteQueueAdapter, plugin: new URL('../index.ts', import.meta.url).href,
  beside: (of) => {
    const { store_method, file_path, durability } = of as SqliteQueueConfig;
    const config = { store_method, file_path, durability };
    return { state: { class: 'modules::state::adapters::Sqlite', config }, stream: { class: 'modules::stream::adapters::Sqlite', config } };
  },
});
