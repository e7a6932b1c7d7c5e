import { stateAdapterSuite } from '@treadle/testing';
import { KvStore } from './index.js';
import { KvOnLibsql } from './kv-on-libsql.fixture.js';

stateAdapterSuite({ adapter: KvStore, plugin: new URL('./index.ts', import.meta.url).href });
stateAdapterSuite({ adapter: KvOnLibsql, plugin: new URL('./kv-on-libsql.fixture.ts', import.meta.url).href });
