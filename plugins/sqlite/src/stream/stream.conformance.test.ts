import { streamAdapterSuite } from '@treadle/testing';
import { SqliteStreamAdapter } from './stream.adapter.js';

streamAdapterSuite({ adapter: SqliteStreamAdapter, plugin: new URL('../index.ts', import.meta.url).href });
