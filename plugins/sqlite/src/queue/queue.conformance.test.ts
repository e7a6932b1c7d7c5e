import { queueAdapterSuite } from '@treadle/testing';
import { SqliteQueueAdapter } from './queue.adapter.js';

queueAdapterSuite({ adapter: SqliteQueueAdapter, plugin: new URL('../index.ts', import.meta.url).href });
