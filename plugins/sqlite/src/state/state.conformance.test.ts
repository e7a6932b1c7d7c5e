import { stateAdapterSuite } from '@treadle/testing';
import { SqliteStateAdapter } from './state.adapter.js';

stateAdapterSuite({ adapter: SqliteStateAdapter, plugin: new URL('../index.ts', import.meta.url).href });
