import { cronAdapterSuite } from '@treadle/testing';
import { SqliteCronAdapter } from './cron.adapter.js';

cronAdapterSuite({ adapter: SqliteCronAdapter, plugin: new URL('../index.ts', import.meta.url).href });
