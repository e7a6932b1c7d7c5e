import { stateAdapterSuite } from '@treadle/testing';
import { KvStore } from './index.js';
import { KvOnLibsql } from './kv-on-libsql.fixture.js';

stateAdapterSuite({ adapter: KvStore, plugin: new URL('./index.ts', import.meta.url).href });
const reason = 'the fixture opens its file in init, before KvStore does, and a copy opens it with the other library';
stateAdapterSuite({
  adapter: KvOnLibsql, plugin: new URL('./kv-on-libsql.fixture.ts', import.meta.url).href,
  skip: [{ test: 'keeps marks of a copy, and starts only on a whole one', reason }, { test: 'is not opened to be copied while an engine has it', reason }],
});
